// The server's access log: one JSON object a line, for machines to read; the server's own proof of what was spoken.
import { readFile } from 'node:fs/promises';
import { isCaddyLine, parseCaddyLine } from './servers/caddy-log.ts';
import { parseNginxLine } from './servers/nginx-log.ts';

export interface AccessLogEntry {
  /** When the response was finished: Unix seconds, to the millisecond. */
  time: number;
  /** From the first byte of the request to the last of the response, to the millisecond. */
  requestTimeMs: number;
  /**
   * How old its connection was when the response was finished, to the millisecond. Null over HTTP/3, where nginx counts every stream as a
   * connection, and from Caddy, which doesn't tell.
   */
  connectionAgeMs: number | null;
  /** host:port as the client named it. */
  host: string;
  /** ALPN identifier as Chrome writes it (http/1.1, h2, h3); empty when no request could be read. */
  protocol: string;
  remoteAddress: string;
  /** Groups the requests of a connection: over HTTP/3 nginx counts every stream as a connection of its own. */
  remotePort: number;
  method: string;
  /** Path and query as requested. */
  uri: string;
  status: number;
  /** Sent to the client, headers included (compressed headers over h2 and h3 as nginx counts them); null from Caddy, which counts bodies alone. */
  bytes: number | null;
  bodyBytes: number;
  tlsResumed: boolean;
  /** Whether the request came as TLS early data (0-RTT) before the handshake was complete. */
  earlyData: boolean;
  tlsProtocol: string;
  cipher: string;
  /** Named group of the key exchange, such as X25519; empty from Caddy, which doesn't tell. */
  curve: string;
  userAgent: string;
}

/** All requests that the origin has answered so far. A line that is still being written is left for the next read. */
export async function readAccessLog(path: string): Promise<AccessLogEntry[]> {
  return parseAccessLog(await readFile(path, 'utf8'));
}

/** @throws {Error} that names the line, when one is of no server's format. */
export function parseAccessLog(text: string): AccessLogEntry[] {
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return lines.map((line, n) => {
    try {
      const fields: unknown = JSON.parse(line);
      return isCaddyLine(fields) ? parseCaddyLine(fields) : parseNginxLine(fields);
    } catch (error) {
      throw new Error(`access log, line ${n + 1}: ${(error as Error).message}: ${line.slice(0, 200)}`);
    }
  });
}
