import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netErrorIn, requestErrorOf } from './net-error.ts';

test('Chrome’s errors have the names that runs count by', () => {
  const names = {
    ERR_NAME_NOT_RESOLVED: 'dns',
    ERR_CONNECTION_REFUSED: 'refused',
    ERR_ADDRESS_UNREACHABLE: 'unreachable',
    ERR_CERT_AUTHORITY_INVALID: 'tls',
    ERR_SSL_PROTOCOL_ERROR: 'tls',
    ERR_CONNECTION_TIMED_OUT: 'timeout',
    ERR_CONNECTION_RESET: 'reset',
    ERR_QUIC_PROTOCOL_ERROR: 'reset',
    ERR_EMPTY_RESPONSE: 'closed',
    ERR_HTTP2_PROTOCOL_ERROR: 'stream-reset',
    ERR_CONTENT_LENGTH_MISMATCH: 'incomplete',
    ERR_INCOMPLETE_CHUNKED_ENCODING: 'incomplete',
    ERR_INSUFFICIENT_RESOURCES: 'other',
  };
  for (const [error, name] of Object.entries(names)) assert.equal(requestErrorOf(error), name, error);
});

test('only failures of the network have such a name in what DevTools logs', () => {
  assert.equal(netErrorIn('Failed to load resource: net::ERR_CONNECTION_REFUSED'), 'ERR_CONNECTION_REFUSED');
  assert.equal(netErrorIn('Failed to load resource: the server responded with a status of 404 (Not Found)'), undefined);
});
