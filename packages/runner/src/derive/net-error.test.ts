import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netErrorHint, reasonOfNetError } from './net-error.ts';

test('Chrome’s network errors are sorted by their cause', () => {
  const reasons = {
    'net::ERR_NAME_NOT_RESOLVED': 'dns-error',
    'net::ERR_CERT_AUTHORITY_INVALID': 'tls-error',
    'net::ERR_SSL_PROTOCOL_ERROR': 'tls-error',
    'net::ERR_QUIC_PROTOCOL_ERROR': 'quic-error',
    'net::ERR_QUIC_HANDSHAKE_FAILED': 'quic-error',
    'net::ERR_ABORTED': 'not-a-page',
    'net::ERR_HTTP_RESPONSE_CODE_FAILURE': 'http-status',
    'net::ERR_CONNECTION_REFUSED': 'connection-error',
    'net::ERR_ADDRESS_UNREACHABLE': 'connection-error',
  };
  for (const [error, expected] of Object.entries(reasons)) assert.equal(reasonOfNetError(error), expected, error);
});

test('Firefox’s errors are sorted as Chrome’s are', () => {
  const reasons = {
    NS_ERROR_UNKNOWN_HOST: 'dns-error',
    NS_ERROR_CONNECTION_REFUSED: 'connection-error',
    NS_ERROR_NET_INTERRUPT: 'connection-error',
    NS_ERROR_REDIRECT_LOOP: 'connection-error',
    'NS_ERROR_GENERATE_FAILURE(NS_ERROR_MODULE_SECURITY, 8179)': 'tls-error',
    NS_ERROR_NET_HTTP3_PROTOCOL_ERROR: 'quic-error',
    NS_ERROR_UNKNOWN_PROTOCOL: 'not-a-page',
    NS_ERROR_NET_EMPTY_RESPONSE: 'http-status',
    NS_ERROR_NET_ERROR_RESPONSE: 'http-status',
  };
  for (const [error, expected] of Object.entries(reasons)) assert.equal(reasonOfNetError(error), expected, error);
});

test('an error is explained by what made it: the visitor’s own settings, the network, or the server', () => {
  const hints = {
    'net::ERR_BLOCKED_BY_CLIENT': /--block or --first-party-only/,
    'net::ERR_TUNNEL_CONNECTION_FAILED': /proxy \(--proxy\) .* the server was not asked/,
    'net::ERR_PROXY_CONNECTION_FAILED': /--proxy/,
    'net::ERR_CERT_AUTHORITY_INVALID': /--ca\.$/,
    'net::ERR_CERT_DATE_INVALID': /clock/,
    'net::ERR_BAD_SSL_CLIENT_AUTH_CERT': /--client-cert/,
    'net::ERR_SSL_CLIENT_AUTH_CERT_NEEDED': /--client-cert/,
    'net::ERR_CONNECTION_TIMED_OUT': /firewall drops/,
    'net::ERR_TOO_MANY_REDIRECTS': /circle/,
    'net::ERR_QUIC_HANDSHAKE_FAILED': /first address/,
    'net::ERR_INVALID_AUTH_CREDENTIALS': /^\. Status 401\. It requires a login.*--basic-auth/,
    NS_ERROR_REDIRECT_LOOP: /circle/,
  };
  for (const [error, words] of Object.entries(hints)) assert.match(netErrorHint(error), words, error);
  for (const error of ['net::ERR_NAME_NOT_RESOLVED', 'net::ERR_ABORTED', 'net::ERR_SSL_PROTOCOL_ERROR', 'NS_ERROR_NET_INTERRUPT'])
    assert.equal(netErrorHint(error), '', error);
});
