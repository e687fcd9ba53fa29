// Findings of a visit's netlog: its connections, one by one, and why requests did not use HTTP/3.
import type { ConnectionFindings, Finding, Handshake, NetlogFindings, Resource } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { VisitRequest } from '../../gather/evidence.ts';
import type { Netlog } from '../../gather/netlog.ts';
import { hostWithPort } from '../document.ts';
import { countOf, finding, type Logged, readEvents, textOf, UnknownShape } from './events.ts';
import { notOverH3 } from './not-over-h3.ts';
import { priorityOrder } from './priorities.ts';
import { type QuicConnection, readQuic } from './quic.ts';
import { cappedStreams, holesOf } from './streams.ts';

const maxHoles = 5;

/** @param resources of the same visit */
export function deriveNetlog(netlog: Netlog, resources: readonly Resource[], request: Pick<VisitRequest, 'protocol'>): NetlogFindings {
  const hosts = new Set(resources.flatMap(({ url }) => (url.startsWith('http') ? [hostWithPort(url)] : [])));
  const events = readEvents(netlog);
  const bySource = Map.groupBy(events, ({ source }) => source);
  const connections = [...bySource.values()].flatMap((ofSource) => {
    if (ofSource.some(({ type }) => type === 'QUIC_SESSION')) return [overQuic(ofSource)];
    if (ofSource.some(({ type }) => type === 'TCP_CONNECT')) return [overTcp(ofSource, resources)];
    return [];
  });
  return {
    connections: connections.filter(({ host }) => hosts.has(host)),
    notOverH3: request.protocol === 'h3' ? notOverH3(events, resources) : [],
  };
}

function overQuic(events: readonly Logged[]): ConnectionFindings {
  const read = finding(() => readQuic(events));
  const of = <T>(derive: (connection: QuicConnection) => T): Finding<T> => ('unknown' in read ? read : finding(() => derive(read.found)));
  return {
    host: hostOfSession(events),
    protocol: { found: 'h3' },
    rttMs: of(({ rttMs }) => roundTrip(rttMs)),
    handshake: of(handshakeOf),
    bytesByRoundTrip: of(({ frames, rttMs }) =>
      bytesByRoundTrip(
        frames.map(({ atMs, length }) => ({ atMs, bytes: length })),
        rttMs,
      ),
    ),
    quic: {
      urls: 'unknown' in read ? {} : Object.fromEntries(read.found.urls),
      holes: of((connection) => {
        const holes = holesOf(connection);
        return { count: holes.length, longest: holes.sort((a, b) => b.ms - a.ms).slice(0, maxHoles) };
      }),
      priorities: of(priorityOrder),
      capped: of((connection) => cappedStreams(connection, roundTrip(connection.rttMs))),
    },
  };
}

function overTcp(events: readonly Logged[], resources: readonly Resource[]): ConnectionFindings {
  const read = finding(() => readTcp(events));
  const of = <T>(derive: (connection: TcpConnection) => T): Finding<T> => ('unknown' in read ? read : finding(() => derive(read.found)));
  // The log of a socket has no name.
  const host = resources.find(({ remoteAddress }) => 'found' in read && remoteAddress === read.found.address)?.url;
  return {
    host: host === undefined ? '' : hostWithPort(host),
    protocol: of(({ alpn }) => agreedProtocol(alpn)),
    rttMs: of(({ rttMs }) => roundTrip(rttMs)),
    handshake: of(handshakeOf),
    bytesByRoundTrip: of(({ reads, rttMs }) => bytesByRoundTrip(reads, rttMs)),
    quic: null,
  };
}

/** A server that does not negotiate speaks HTTP/1.1. */
function agreedProtocol(alpn: string | null): Protocol {
  if (alpn === 'h2') return 'h2';
  if (alpn === null || alpn === 'http/1.1' || alpn === 'unknown') return 'h1';
  throw new UnknownShape(`TLS agreed on ${alpn}.`);
}

function hostOfSession(events: readonly Logged[]): string {
  const params = events.find(({ type }) => type === 'QUIC_SESSION')?.params;
  return `${params?.host}:${params?.port}`;
}

// A connection's bytes in each of its round trips.

/** On a shorter path what browser and server compute takes as long as the way. */
const minRttMs = 5;
/** Later ones depend on the page more than on the connection. */
const maxRoundTrips = 20;

/** @throws UnknownShape where no round trip was measured, or one too short to count by */
function handshakeOf({
  handshakeMs,
  rttMs,
  early = false,
}: {
  handshakeMs: number | null;
  rttMs: number | null;
  early?: boolean;
}): Handshake {
  if (handshakeMs === null) throw new UnknownShape('No handshake ends in the log.');
  if (early) return { ms: 0, roundTrips: 0 };
  return { ms: handshakeMs, roundTrips: Math.round((handshakeMs / roundTrip(rttMs)) * 10) / 10 };
}

/**
 * Bytes of each round trip since the first byte of a response, up to the twentieth or the last that has any: how the sender's window grows.
 *
 * @throws UnknownShape as `handshakeOf`
 */
function bytesByRoundTrip(arrivals: readonly { atMs: number; bytes: number }[], rttMs: number | null): number[] {
  const rtt = roundTrip(rttMs);
  const [first] = arrivals;
  const sums: number[] = [];
  for (const { atMs, bytes } of arrivals) {
    const index = Math.floor((atMs - (first?.atMs ?? 0)) / rtt);
    if (index < maxRoundTrips) sums[index] = (sums[index] ?? 0) + bytes;
  }
  return Array.from(sums, (sum) => sum ?? 0);
}

/** @throws UnknownShape */
function roundTrip(rttMs: number | null): number {
  if (rttMs === null) throw new UnknownShape('No round trip was measured.');
  if (rttMs < minRttMs) throw new UnknownShape(`A round trip of ${rttMs.toFixed(1)} ms is too short to judge by: computing takes as long.`);
  return rttMs;
}

// A TCP connection as Chrome logged it: its handshakes, and what came over it.

/** After which a SYN without an answer is sent again (RFC 6298 §2). */
const synAgainMs = 1_000;

interface TcpConnection {
  /** Address of the server, with its port. */
  address: string;
  /** Protocol that TLS negotiated, such as `h2`; null: none, or no TLS. */
  alpn: string | null;
  /** From the first SYN to the end of TLS's handshake; null: it had none. */
  handshakeMs: number | null;
  /** From the SYN to its answer; null: there was none, or it took so long that it may answer a second SYN. */
  rttMs: number | null;
  /** Decrypted bytes, as they were read. */
  reads: { atMs: number; bytes: number }[];
}

/**
 * @param events of one SOCKET, as they were logged
 * @throws UnknownShape
 */
function readTcp(events: readonly Logged[]): TcpConnection {
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
