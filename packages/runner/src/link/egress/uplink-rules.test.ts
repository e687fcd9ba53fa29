import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNetwork } from '@pronghorn/core/network';
import { freeSubnet } from './uplink-rules.ts';

test('an uplink gets four addresses that no route of the machine leads to', () => {
  const subnet = freeSubnet(['0.0.0.0/0', '192.168.1.0/24', '10.115.128.0/30'].map(parseNetwork), 0);
  assert.equal(subnet.device, 'pronghorn01');
  assert.deepEqual(subnet.v4, { machine: '10.115.128.5', router: '10.115.128.6', network: '10.115.128.4/30' });
  assert.deepEqual(subnet.v6, { machine: 'fd70:7068:fff0:1::1', router: 'fd70:7068:fff0:1::2', network: 'fd70:7068:fff0:1::/64' });
});

test('another range is used where one is taken as a whole, and it says so when all are', () => {
  assert.equal(freeSubnet([parseNetwork('10.0.0.0/8')], 8191).v4.network, '198.18.127.252/30');
  assert.equal(freeSubnet(['10.0.0.0/8', '198.18.0.0/15'].map(parseNetwork), 0).v4.network, '100.127.0.0/30');
  assert.throws(() => freeSubnet(['10.0.0.0/8', '198.18.0.0/15', '100.64.0.0/10'].map(parseNetwork), 0), /has routes into all networks/);
});

test('names of devices tell subnets apart and fit the kernel’s 15 characters', () => {
  const names = Array.from({ length: 8192 }, (_, index) => freeSubnet([], index).device);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.every((name) => name.length <= 15));
});
