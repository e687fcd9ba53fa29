import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hosts } from './hosts.ts';
import { hostAddresses, thisMachine, withPort } from './place.ts';

test('on this machine every host has a loopback address of its own', () => {
  const addresses = hostAddresses(thisMachine);
  assert.equal(new Set(addresses).size, hosts.length);
  for (const address of addresses) assert.match(address, /^127\.0\.0\.\d+$/);
});

test('behind a link every host has an IPv4 and an IPv6 address that end in the same digits', () => {
  const addresses = hostAddresses({ enter: [], addressPrefix: '10.115.2.', addressPrefix6: 'fd70:7068:2::' });
  assert.deepEqual(addresses.slice(0, 4), ['10.115.2.11', 'fd70:7068:2::11', '10.115.2.12', 'fd70:7068:2::12']);
  assert.equal(new Set(addresses).size, 2 * hosts.length);
});

test('an IPv6 address stands in brackets before its port', () => {
  assert.deepEqual([withPort('10.115.2.11', 1), withPort('fd70::11', 1)], ['10.115.2.11:1', '[fd70::11]:1']);
});
