import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alpnOf, protocolOf, protocols } from './protocol.ts';

test('a protocol on the wire is recognised by its ALPN identifier', () => {
  for (const protocol of protocols) assert.equal(protocolOf(alpnOf[protocol]), protocol);
  assert.deepEqual(['http/1.0', 'h3-29', 'data', 'h30', null].map(protocolOf), ['h1', 'h3', null, null, null]);
});
