// What nginx writes into its access log.
import type { AccessLogEntry } from '../access-log.ts';
import { alpnOfVersion } from './alpn.ts';

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

/** For `log_format … escape=json`. */
export const logFormat = `{${Object.entries(fields)
  .map(([name, variable]) => `"${name}":"${variable}"`)
  .join(',')}}`;

export function parseNginxLine(line: unknown): AccessLogEntry {
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
