// What Chrome calls a failure (net/base/net_error_list.h) → by which name a run counts it.
import type { RequestError } from '@pronghorn/core/vocabulary';

const names: readonly [RegExp, RequestError][] = [
  [/^ERR_(NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_)/, 'dns'],
  [/^ERR_CONNECTION_REFUSED$/, 'refused'],
  [/^ERR_(ADDRESS_UNREACHABLE|ADDRESS_INVALID|INTERNET_DISCONNECTED|NETWORK_ACCESS_DENIED)$/, 'unreachable'],
  [/^ERR_(CERT_|SSL_|BAD_SSL|TLS13_)/, 'tls'],
  // A QUIC connection that never came to be is told so too, after Chrome's own time limit of a handshake.
  [/^ERR_(TIMED_OUT|CONNECTION_TIMED_OUT|QUIC_HANDSHAKE_FAILED)$/, 'timeout'],
  [/^ERR_(CONNECTION_RESET|CONNECTION_ABORTED|SOCKET_NOT_CONNECTED|NETWORK_CHANGED|QUIC_PROTOCOL_ERROR)$/, 'reset'],
  [/^ERR_(CONNECTION_CLOSED|EMPTY_RESPONSE)$/, 'closed'],
  [/^ERR_(HTTP2_|SPDY_|HTTP_1_1_REQUIRED)/, 'stream-reset'],
  [/^ERR_(CONTENT_LENGTH_MISMATCH|INCOMPLETE_)/, 'incomplete'],
];

/** @param error such as ERR_CONNECTION_RESET */
export const requestErrorOf = (error: string): RequestError => names.find(([pattern]) => pattern.test(error))?.[1] ?? 'other';

/** What DevTools logs of a request that failed → Chrome's name of it; undefined: of another kind, as of an answer that is no success. */
export const netErrorIn = (text: string): string | undefined => /net::(ERR_[A-Z0-9_]+)/.exec(text)?.[1];
