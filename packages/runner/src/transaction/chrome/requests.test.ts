import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connections, netErrorIn, requestErrorOf, SecondsOfRun } from './requests.ts';

const opening = (connectStart: number, connectEnd: number) => ({ connectStart, connectEnd });

test('over HTTP/1.1 each handshake is a connection, over HTTP/2 and HTTP/3 those at the same time are one', () => {
  const seen = [opening(1, 5), opening(2, 6), opening(5, 7), opening(8, 8), opening(0, 0), opening(20, 24)];
  const counts = (['h1', 'h2', 'h3'] as const).map((protocol) => {
    const connections = new Connections(protocol);
    assert.deepEqual(
      seen.map((request) => connections.add(request)),
      [true, true, true, false, false, true],
    );
    return connections.opened;
  });
  assert.deepEqual(
    counts.map(({ length }) => length),
    [4, 2, 2],
  );
  assert.deepEqual(counts[1], [
    { start: 1, end: 7 },
    { start: 20, end: 24 },
  ]);
});

test('connections opened before a run are no part of it', () => {
  const connections = new Connections('h2');
  connections.add(opening(1, 5));
  connections.begin();
  connections.add(opening(3, 4));
  assert.deepEqual(connections.opened, [{ start: 3, end: 4 }]);
});

test('each whole second has all requests that ended before its end, in whatever order they were reported', () => {
  const seconds = new SecondsOfRun();
  const request = (handed: number, error?: string) =>
    seconds.add({ handed, bytesReceived: 10, bytesSent: 1, ...(error === undefined ? {} : { error }) });
  request(2_500);
  request(900);
  request(950, 'timeout');
  assert.deepEqual(seconds.whole(), [
    { at: 1, succeeded: 1, failed: 1, bytesReceived: 20, bytesSent: 2 },
    { at: 2, succeeded: 1, failed: 1, bytesReceived: 20, bytesSent: 2 },
  ]);
  assert.deepEqual(new SecondsOfRun().whole(), []);
});

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
