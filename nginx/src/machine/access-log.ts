// The server's access log: one JSON object a line, for machines to read; the server's own proof of what was spoken.
import { readFile } from 'node:fs/promises';

export interface AccessLogEntry {
  /** When the response was finished: Unix seconds, to the millisecond. */
  time: number;
  /** From the first byte of the request to the last of the response, to the millisecond. */
  requestTimeMs: number;
  /**
   * How old its connection was when the response was finished, to the millisecond. Null over HTTP/3, where nginx counts every stream as a
   * connection, and from Caddy, which doesn't log it.
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
  uri: string;
  status: number;
  /** Sent to the client, headers included (compressed headers over h2 and h3 as nginx counts them); null from Caddy, which counts only bodies. */
  bytes: number | null;
  bodyBytes: number;
  tlsResumed: boolean;
  /** True if the request came as TLS early data (0-RTT), before the handshake was complete. */
  earlyData: boolean;
  tlsProtocol: string;
  cipher: string;
  /** Named group of the key exchange, such as X25519; empty from Caddy, which doesn't log it. */
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

/** The log's fields. All go as strings: nginx writes a missing status as 000, which is no JSON number. */
const fields = {
  time: '$msec',
  requestTime: '$request_time',
  connectionTime: '$connection_time',
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

export const logFormat = `{${Object.entries(fields)
  .map(([name, variable]) => `"${name}":"${variable}"`)
  .join(',')}}`;

function parseNginxLine(line: unknown): AccessLogEntry {
  const { requestTime, connectionTime, resumed, ...same } = line as Line;
  return {
    ...same,
    time: Number(same.time),
    requestTimeMs: Math.round(Number(requestTime) * 1000),
    connectionAgeMs: same.protocol === 'HTTP/3.0' ? null : Math.round(Number(connectionTime) * 1000),
    protocol: alpnOfVersion[same.protocol] ?? same.protocol,
    remotePort: Number(same.remotePort),
    status: Number(same.status),
    bytes: Number(same.bytes),
    bodyBytes: Number(same.bodyBytes),
    tlsResumed: resumed === 'r',
    earlyData: same.earlyData === '1',
  };
}

/** Versions as servers write them in their logs, and their ALPN identifiers as Chrome writes them. */
const alpnOfVersion: Readonly<Record<string, string>> = {
  'HTTP/1.0': 'http/1.0',
  'HTTP/1.1': 'http/1.1',
  'HTTP/2.0': 'h2',
  'HTTP/3.0': 'h3',
};

// Caddy's access log: its own fields without the headers, and some that the configuration adds.
interface CaddyLine {
  ts: number;
  /** Seconds. */
  duration: number;
  size: number;
  status: number;
  request: {
    remote_ip: string;
    remote_port: string;
    proto: string;
    method: string;
    uri: string;
    tls?: { resumed: boolean; version: number; cipher_suite: number };
  };
  [field: string]: unknown;
}

/** Fields that the configuration adds to each line; values in braces are Caddy's placeholders. */
export const addedFields = (port: number) => ({
  hostname: '{http.request.host}',
  port: String(port),
  userAgent: '{http.request.header.User-Agent}',
});
/** Added to the lines of requests that came before the handshake was complete. */
export const earlyDataField = 'earlyData';

export const logEncoder = {
  format: 'filter',
  wrap: { format: 'json', time_format: 'unix_seconds_float', duration_format: 'seconds' },
  fields: Object.fromEntries(
    ['request>headers', 'request>client_ip', 'request>host', 'resp_headers', 'user_id', 'bytes_read'].map((field) => [
      field,
      { filter: 'delete' },
    ]),
  ),
};

function isCaddyLine(line: unknown): line is CaddyLine {
  return typeof line === 'object' && line !== null && 'request' in line;
}

const versions: Record<number, string> = { 771: 'TLSv1.2', 772: 'TLSv1.3' };
// Go names the suites of TLS 1.3 by their numbers (RFC 8446 §B.4).
const ciphers: Record<number, string> = {
  4865: 'TLS_AES_128_GCM_SHA256',
  4866: 'TLS_AES_256_GCM_SHA384',
  4867: 'TLS_CHACHA20_POLY1305_SHA256',
};

function parseCaddyLine({ ts, duration, size, status, request, ...added }: CaddyLine): AccessLogEntry {
  const { tls } = request;
  return {
    time: Math.round(ts * 1000) / 1000,
    requestTimeMs: Math.round(duration * 1000),
    host: `${added.hostname}:${added.port}`,
    protocol: alpnOfVersion[request.proto] ?? request.proto,
    remoteAddress: request.remote_ip,
    remotePort: Number(request.remote_port),
    method: request.method,
    uri: request.uri,
    status,
    connectionAgeMs: null,
    bytes: null,
    bodyBytes: size,
    tlsResumed: tls?.resumed ?? false,
    earlyData: added[earlyDataField] === '1',
    tlsProtocol: tls === undefined ? '' : (versions[tls.version] ?? String(tls.version)),
    cipher: tls === undefined ? '' : (ciphers[tls.cipher_suite] ?? String(tls.cipher_suite)),
    curve: '',
    userAgent: String(added.userAgent ?? ''),
  };
}
