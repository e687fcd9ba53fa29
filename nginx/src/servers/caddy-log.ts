// What Caddy writes into its access log: its own fields, less the headers, and some that the configuration adds.
import type { AccessLogEntry } from '../access-log.ts';
import { alpnOfVersion } from './alpn.ts';

interface CaddyLine {
  ts: number;
  /** Seconds. */
  duration: number;
  /** Of the body. */
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

export function isCaddyLine(line: unknown): line is CaddyLine {
  return typeof line === 'object' && line !== null && 'request' in line;
}

const versions: Record<number, string> = { 771: 'TLSv1.2', 772: 'TLSv1.3' };
// Go names the suites of TLS 1.3 by their numbers (RFC 8446 §B.4).
const ciphers: Record<number, string> = {
  4865: 'TLS_AES_128_GCM_SHA256',
  4866: 'TLS_AES_256_GCM_SHA384',
  4867: 'TLS_CHACHA20_POLY1305_SHA256',
};

export function parseCaddyLine({ ts, duration, size, status, request, ...added }: CaddyLine): AccessLogEntry {
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
