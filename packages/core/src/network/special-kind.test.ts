import assert from 'node:assert/strict';
import { test } from 'node:test';
import { specialKindOf } from './special-ranges.ts';

for (const [address, kind] of [
  ['93.184.216.34', null],
  ['9.255.255.255', null],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['11.0.0.0', null],
  ['127.9.8.7', 'loopback'],
  ['169.254.169.254', 'metadata'],
  ['169.254.169.255', 'link-local'],
  ['169.254.170.2', 'metadata'],
  ['168.63.129.16', 'metadata'],
  ['100.64.0.1', 'shared'],
  ['0.0.0.0', 'special'],
  ['203.0.113.9', 'special'],
  ['239.1.1.1', 'multicast'],
  ['255.255.255.255', 'special'],
  ['2606:2800:220:1::1', null],
  ['::', 'embedded-ipv4'],
  ['::1', 'loopback'],
  ['::7f00:1', 'embedded-ipv4'],
  ['::ffff:127.0.0.1', 'embedded-ipv4'],
  ['::ffff:808:808', 'embedded-ipv4'],
  ['64:ff9b::a00:1', 'embedded-ipv4'],
  ['2002:a00:1::', 'embedded-ipv4'],
  ['2001:0:1::', 'embedded-ipv4'],
  ['2001:1::1', 'special'],
  ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', 'special'],
  ['2001:200::1', null],
  ['fd00:ec2::254', 'metadata'],
  ['fd12::1', 'private'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'private'],
  ['ff02::1', 'multicast'],
  ['4000::1', 'special'],
  ['1fff::1', 'special'],
] as const) {
  test(`${address} is ${kind ?? 'public'}`, () => {
    assert.equal(specialKindOf(address), kind);
  });
}

test('what is no address is not judged', () => {
  for (const text of ['', 'localhost', '0x7f.1', '127.1', '010.0.0.1', 'fe80::1%eth0', '::ffff:010.0.0.1', '[::1]'])
    assert.throws(() => specialKindOf(text), RangeError, text);
});
