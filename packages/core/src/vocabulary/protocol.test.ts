import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alpnOf, protocolNamed, protocolOf, protocols } from './protocol.ts';

test('a protocol on the wire is recognised by its ALPN identifier', () => {
  for (const protocol of protocols) assert.equal(protocolOf(alpnOf[protocol]), protocol);
  assert.deepEqual(['http/1.0', 'h3-29', 'data', 'h30', null].map(protocolOf), ['h1', 'h3', null, null, null]);
});

test('a protocol is known by the names that people write', () => {
  const names = {
    h1: ['h1', 'http1', 'HTTP/1.1', 'http/1.0', 'H1'],
    h2: ['h2', 'http2', 'HTTP/2', 'http/2.0'],
    h3: ['h3', 'http3', 'http/3'],
  };
  for (const [protocol, all] of Object.entries(names)) for (const name of all) assert.equal(protocolNamed(name), protocol, name);
  for (const name of ['', 'h9', 'http', 'h2,h3', 'http/2.1', 'https', 'h3-29', 'quic']) assert.equal(protocolNamed(name), undefined, name);
});
