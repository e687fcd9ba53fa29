import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAllowedNetwork } from './allowed-network.ts';

test('loopback can’t be opened to visits, with the reason', () => {
  for (const text of ['127.0.0.1', '127.0.0.0/8', '::1']) assert.throws(() => parseAllowedNetwork(text), /visit's own/, text);
  assert.equal(parseAllowedNetwork('10.0.0.0/8').prefix, 8);
  assert.equal(parseAllowedNetwork('0.0.0.0/0').prefix, 0);
});
