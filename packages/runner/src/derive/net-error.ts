// What a browser’s network error of a main document means, who may have made it, and what to do.
import type { InvalidReason } from '@pronghorn/core/vocabulary';

/** The browser's network errors of a main document, sorted by what the user can do about them; Firefox's begin with NS_. */
export function reasonOfNetError(error: string): InvalidReason {
  if (/NS_/.test(error)) return reasonOfFirefoxError(error);
  if (/ERR_(NAME_|DNS_|ICANN_)/.test(error)) return 'dns-error';
  if (/ERR_QUIC/.test(error)) return 'quic-error';
  if (/ERR_(CERT_|SSL_|BAD_SSL|ECH_)/.test(error)) return 'tls-error';
  if (/ERR_(ABORTED|INVALID_RESPONSE|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME|UNSAFE_PORT)/.test(error)) return 'not-a-page';
  // The error status has no body: Chrome shows its own page. After a 401 it first looks for a password.
  if (/ERR_(HTTP_RESPONSE_CODE_FAILURE|INVALID_AUTH_CREDENTIALS)/.test(error)) return 'http-status';
  return 'connection-error';
}

/** Names of `xpcom/base/ErrorList.py`; those of certificates and handshakes are of NSS. */
function reasonOfFirefoxError(error: string): InvalidReason {
  if (/UNKNOWN_HOST|UNKNOWN_PROXY_HOST|DNS_/.test(error)) return 'dns-error';
  if (/HTTP3|QUIC/.test(error)) return 'quic-error';
  if (/MODULE_SECURITY|SEC_ERROR|SSL_ERROR|PKIX_ERROR|NSS_ERROR/.test(error)) return 'tls-error';
  // The error status has no body: Firefox shows its own page, as Chrome does.
  if (/NET_(EMPTY|ERROR)_RESPONSE/.test(error)) return 'http-status';
  if (/UNKNOWN_PROTOCOL|MALFORMED_URI|PORT_ACCESS_NOT_ALLOWED|BINDING_ABORTED/.test(error)) return 'not-a-page';
  return 'connection-error';
}

export const loginWords =
  'It requires a login, and accepted none that was sent: give user and password with --basic-auth, or under “Visitor”.';

/** For errors that say too little by themselves. What Pronghorn or its user did comes before what a server may have done. */
const hints: readonly [error: RegExp, words: string][] = [
  [/ERR_INVALID_AUTH_CREDENTIALS/, `Status 401. ${loginWords}`],
  [/ERR_BLOCKED_BY_CLIENT/, 'A rule of --block or --first-party-only stops the page itself.'],
  [/ERR_(PROXY_|TUNNEL_)|PROXY_CONNECTION|UNKNOWN_PROXY/, 'The proxy (--proxy) is away or refuses; the server was not asked.'],
  [/ERR_CERT_AUTHORITY_INVALID/, 'No public authority vouches for it. If one of your own does, name it with --ca.'],
  [/ERR_CERT_DATE_INVALID/, 'It has expired or is not valid yet, or this machine’s clock is wrong.'],
  [/ERR_CERT_COMMON_NAME_INVALID/, 'The certificate is of another host name.'],
  [/ERR_(BAD_)?SSL_CLIENT_AUTH/, 'The server wants a certificate of the visitor: give one with --client-cert.'],
  [/ERR_(ADDRESS_UNREACHABLE|INTERNET_DISCONNECTED|NETWORK_)/, 'This machine’s network, or the fence of visits, has no way there.'],
  [/ERR_CONNECTION_REFUSED|NS_ERROR_CONNECTION_REFUSED/, 'Nothing listens at its port, or a firewall refuses.'],
  [/ERR_(CONNECTION_)?TIMED_OUT|NS_ERROR_NET_TIMEOUT/, 'Nothing answers: the server is away, or a firewall drops what the runner sends.'],
  [/ERR_EMPTY_RESPONSE/, 'The server closed the connection without an answer.'],
  [
    /ERR_TOO_MANY_REDIRECTS|REDIRECT_LOOP/,
    'It redirects in a circle, as pages do that miss a cookie: set it with --cookie, or pass its page with --steps.',
  ],
  [/ERR_UNSAFE_PORT|PORT_ACCESS_NOT_ALLOWED/, 'Browsers open no pages at this port: let the server listen at another one.'],
  [/ERR_HTTP2_|NS_ERROR_NET_HTTP2/, 'The server, or a proxy before it, breaks the rules of HTTP/2.'],
  [/ERR_QUIC_|HTTP3_PROTOCOL/, 'Over QUIC Chrome tries the first address of the host alone. UDP may be blocked on the way.'],
];

/** A sentence after the error; empty: it says enough. */
export function netErrorHint(error: string): string {
  const words = hints.find(([pattern]) => pattern.test(error))?.[1];
  return words === undefined ? '' : `. ${words}`;
}
