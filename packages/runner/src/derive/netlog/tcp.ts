// A TCP connection as Chrome logged it: its handshakes, and what came over it.
import { countOf, type Logged, textOf } from './finding.ts';

/** After which a SYN without an answer is sent again (RFC 6298 §2). */
const synAgainMs = 1_000;

export interface TcpConnection {
  /** Of the server, with its port. */
  address: string;
  /** What TLS agreed on, such as `h2`; null: nothing, or there is no TLS. */
  alpn: string | null;
  /** From the first SYN to the end of TLS's handshake; null: it had none. */
  handshakeMs: number | null;
  /** From the SYN to its answer; null: there was none, or it took so long that a second SYN may be the one that was answered. */
  rttMs: number | null;
  /** What TLS had decrypted, as it was read. */
  reads: { atMs: number; bytes: number }[];
}

/**
 * @param events of one SOCKET, as they were logged
 * @throws UnknownShape
 */
export function readTcp(events: readonly Logged[]): TcpConnection {
  const connection: TcpConnection = { address: '', alpn: null, handshakeMs: null, rttMs: null, reads: [] };
  let [connectMs, attemptMs]: (number | undefined)[] = [];
  let isSecure = false;
  for (const event of events) {
    const { atMs, type, phase, params } = event;
    switch (type) {
      case 'TCP_CONNECT':
        if (phase === 'begin') connectMs ??= atMs;
        if (phase === 'begin') connection.address = textOf(event, 'remote_address');
        break;
      case 'TCP_CONNECT_ATTEMPT':
        if (phase === 'begin') attemptMs = hasFailed(event) ? undefined : atMs;
        else if (attemptMs !== undefined && atMs - attemptMs < synAgainMs) connection.rttMs = atMs - attemptMs;
        break;
      case 'SSL_CONNECT':
        if (phase === 'begin') {
          isSecure = !hasFailed(event);
          connection.alpn = params.next_proto === undefined ? null : textOf(event, 'next_proto');
        } else if (isSecure && connectMs !== undefined) connection.handshakeMs = atMs - connectMs;
        break;
      case 'SSL_SOCKET_BYTES_RECEIVED':
        connection.reads.push({ atMs, bytes: countOf(event, 'byte_count') });
        break;
    }
  }
  return connection;
}

const hasFailed = ({ params }: Logged): boolean => params.net_error !== undefined || params.os_error !== undefined;
