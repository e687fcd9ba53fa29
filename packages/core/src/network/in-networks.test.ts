import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providers } from '../campaign/across/providers.ts';
import { isInNetworks } from './network.ts';

test('an IPv4 address is in its network, with and without port, and not beyond its ends', () => {
  const networks = ['104.16.0.0/13', '192.0.2.4/30'];
  for (const address of ['104.16.0.0', '104.23.255.255', '104.20.1.2:443', '192.0.2.7'])
    assert.ok(isInNetworks(address, networks), address);
  for (const address of ['104.15.255.255', '104.24.0.0', '192.0.2.8:443', '192.0.2.3'])
    assert.ok(!isInNetworks(address, networks), address);
  assert.ok(isInNetworks('203.0.113.9', ['0.0.0.0/0']));
  assert.ok(isInNetworks('255.255.255.255', ['255.255.255.255/32']));
  assert.ok(isInNetworks('192.0.2.9', ['192.0.2.9']), 'a single address is a network of its own');
});

test('an IPv6 address is in its network, however it is written', () => {
  const networks = ['2a06:98c0::/29', '2606:4700::/32'];
  for (const address of [
    '2a06:98c0::1',
    '[2a06:98c7:ffff::1]:443',
    '2606:4700:10::6814:1',
    '[2606:4700::1]:443',
    '2606:4700:0:0:0:0:0:1',
  ]) {
    assert.ok(isInNetworks(address, networks), address);
  }
  for (const address of ['2a06:98c8::1', '2a06:98bf::1', '2606:4701::1', '2606::4700', '::1', '[::ffff]:443']) {
    assert.ok(!isInNetworks(address, networks), address);
  }
});

test('a prefix may end within a byte, and beyond the first 32 bits', () => {
  assert.ok(isInNetworks('2001:db8:0:fff::1', ['2001:db8::/52']));
  assert.ok(!isInNetworks('2001:db8:0:1000::1', ['2001:db8::/52']));
});

test('versions do not mix, and what is no address is in no network', () => {
  assert.ok(!isInNetworks('0.0.0.1', ['::/0']));
  assert.ok(!isInNetworks('::1', ['0.0.0.0/0']));
  for (const address of ['', 'example.com:443', '300.1.1.1', '1.2.3', 'abc'])
    assert.ok(!isInNetworks(address, ['0.0.0.0/0', '::/0']), address);
});

test('a network that is written otherwise is an error, not an empty one', () => {
  for (const network of ['104.16.0.0/33', 'example/8', '104.16.0.0/x', '104.16.0.1/13', '2606:4700::/129'])
    assert.throws(() => isInNetworks('104.16.0.1', [network]), /is not a network/, network);
});

test('every network of the table of providers can be read', () => {
  for (const { networks } of providers) assert.ok(!isInNetworks('192.0.2.1', networks));
});
