import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSingleAddress, networksOverlap, networkText, parseNetwork } from './network.ts';

test('a network is an address and its bits, of either family; without bits it is one address', () => {
  assert.deepEqual(parseNetwork('10.1.0.0/16'), { family: 4, address: '10.1.0.0', prefix: 16 });
  assert.equal(networkText(parseNetwork(' FD12:3456:0::/32 ')), 'fd12:3456::/32');
  assert.equal(networkText(parseNetwork('192.168.1.20')), '192.168.1.20/32');
  assert.ok(isSingleAddress(parseNetwork('::1')));
  assert.equal(networkText(parseNetwork('0.0.0.0/0')), '0.0.0.0/0');
});

test('a text that is not one says what was found and what was expected', () => {
  for (const text of ['', '10.1/16', '010.1.0.0/16', '0x0a.1.0.0/16', 'intranet', '10.1.0.0/16/2', 'fe80::%eth0/64'])
    assert.throws(() => parseNetwork(text), /is not a network: expected an address/, text);
  assert.throws(() => parseNetwork('10.1.0.0/33'), /expected 0 to 32 bits, found “33”/);
  assert.throws(() => parseNetwork('10.1.0.0/'), /found “”/);
  assert.throws(() => parseNetwork('10.1.2.3/16'), /Did you mean 10\.1\.0\.0\/16\?/);
  assert.throws(() => parseNetwork('fd12::1/32'), /Did you mean fd12::\/32\?/);
});

test('networks overlap when one holds the other, never across families', () => {
  const all = ['10.0.0.0/8', '10.1.0.0/17', '10.1.128.0/17', '::/0', 'fd12:8000::/17'].map(parseNetwork);
  const pairs = all.map((a) => all.map((b) => (networksOverlap(a, b) ? 1 : 0)).join('')).join(' ');
  assert.equal(pairs, '11100 11000 10100 00011 00011');
});
