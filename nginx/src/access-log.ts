// nginx's access log: one JSON object a line, for machines to read; the server's own proof of what was spoken.
import { readFile } from 'node:fs/promises';

export interface AccessLogEntry {
  /** When the response was finished: Unix seconds, to the millisecond. */
  time: number;
  /** From the first byte of the request to the last of the response, to the millisecond. */
  requestTimeMs: number;
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
  /** Sent to the client, headers included (compressed headers over h2 and h3 as nginx counts them). */
  bytes: number;
  bodyBytes: number;
  tlsResumed: boolean;
  /** Whether the request came as TLS early data (0-RTT) before the handshake was complete. */
  earlyData: boolean;
  tlsProtocol: string;
  cipher: string;
  /** Named group of the key exchange, such as X25519. */
  curve: string;
  userAgent: string;
}

/** The log's fields. All go as strings: nginx writes a missing status as 000, which is no JSON number. */
const fields = {
  time: '$msec',
  requestTime: '$request_time',
  host: '$host:$server_port',
  protocol: '$server_protocol',
  remoteAddress: '$remote_addr',
  remotePort: '$remote_port',
  method: '$request_method',
  uri: '$request_uri',
  status: '$status',
  bytes: '$bytes_sent',
  bodyBytes: '$body_bytes_sent',
  resumed: '$ssl_session_reused',
  earlyData: '$ssl_early_data',
  tlsProtocol: '$ssl_protocol',
  cipher: '$ssl_cipher',
  curve: '$ssl_curve',
  userAgent: '$http_user_agent',
} as const;
type Line = Record<keyof typeof fields, string>;

/** For `log_format … escape=json`. */
export const logFormat = `{${Object.entries(fields)
  .map(([name, variable]) => `"${name}":"${variable}"`)
  .join(',')}}`;

/** All requests that the origin has answered so far. A line that nginx is still writing is left for the next read. */
export async function readAccessLog(path: string): Promise<AccessLogEntry[]> {
  return parseAccessLog(await readFile(path, 'utf8'));
}

/** @throws {Error} that names the line, when one isn't of the format above. */
export function parseAccessLog(text: string): AccessLogEntry[] {
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  return lines.map((line, n) => {
    try {
      return parseLine(line);
    } catch (error) {
      throw new Error(`access log, line ${n + 1}: ${(error as Error).message}: ${line.slice(0, 200)}`);
    }
  });
}

const alpn: Record<string, string> = { 'HTTP/1.0': 'http/1.0', 'HTTP/1.1': 'http/1.1', 'HTTP/2.0': 'h2', 'HTTP/3.0': 'h3' };

function parseLine(line: string): AccessLogEntry {
  const { requestTime, resumed, ...same } = JSON.parse(line) as Line;
  return {
    ...same,
    time: Number(same.time),
    requestTimeMs: Math.round(Number(requestTime) * 1000),
    protocol: alpn[same.protocol] ?? same.protocol,
    remotePort: Number(same.remotePort),
    status: Number(same.status),
    bytes: Number(same.bytes),
    bodyBytes: Number(same.bodyBytes),
    tlsResumed: resumed === 'r',
    earlyData: same.earlyData === '1',
  };
}
