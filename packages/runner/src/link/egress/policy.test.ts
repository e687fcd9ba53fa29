import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNetwork } from '@pronghorn/core/network';
import { parseAllowedNetwork, readRefusals, routerRules } from './policy.ts';

const rules = (policy: Partial<Parameters<typeof routerRules>[0]> = {}) =>
  routerRules({ allow: [], originPorts: [], resolver: null, ...policy });
const lineOf = (text: string, part: string) => text.split('\n').findIndex((line) => line.includes(part));

test('without a resolver and an origin nothing is forwarded but answers', () => {
  const text = rules();
  assert.doesNotMatch(text, /dnat|origin0/);
  assert.match(text, /hook forward priority filter; policy drop;/);
  assert.match(text, /hook input priority filter; policy drop;/);
});

test('networks that the operator opened come before refused ones, and open nothing else', () => {
  const text = rules({ allow: [parseNetwork('10.1.0.0/16'), parseNetwork('fd12::/16')] });
  assert.match(text, /set allowed4 .* elements = { 10\.1\.0\.0\/16 };/);
  assert.match(text, /set allowed6 .* elements = { fd12::\/16 };/);
  assert.ok(lineOf(text, '@allowed4 accept') < lineOf(text, '10.0.0.0/8 : goto'));
});

test('the demo origin is open on its ports alone', () => {
  const text = rules({ originPorts: [8443] });
  assert.match(text, /oifname "origin0" ip daddr 10\.115\.2\.0\/24 meta l4proto { tcp, udp } th dport { 8443 } accept/);
  assert.match(text, /oifname "origin0" ip6 daddr fd70:7068:2::\/64 meta l4proto { tcp, udp } th dport { 8443 } accept/);
  assert.match(text, /oifname "origin0" goto refuse_origin_port/);
});

test('refusals are read from what nft lists', () => {
  const refusals = readRefusals([
    { counter: { name: 'private', packets: 3 } },
    { counter: { name: 'link_local', packets: 1 } },
    { counter: { name: 'metadata', packets: 0 } },
    { set: { name: 'refused4', elem: [{ concat: ['10.1.2.3', 'tcp', 80] }] } },
    { set: { name: 'refused6', elem: [{ elem: { val: { concat: ['fd12::1', 'udp', 443] } } }, { concat: ['fd12::2', 6, 80] }] } },
    { set: { name: 'allowed4' } },
  ]);
  assert.deepEqual(refusals, {
    packets: { private: 3, 'link-local': 1 },
    destinations: [
      { address: '10.1.2.3', transport: 'tcp', port: 80 },
      { address: 'fd12::1', transport: 'udp', port: 443 },
      { address: 'fd12::2', transport: 'tcp', port: 80 },
    ],
  });
});

test('loopback can’t be opened to visits, with the reason', () => {
  for (const text of ['127.0.0.1', '127.0.0.0/8', '::1']) assert.throws(() => parseAllowedNetwork(text), /visit's own/, text);
  assert.equal(parseAllowedNetwork('10.0.0.0/8').prefix, 8);
  assert.equal(parseAllowedNetwork('0.0.0.0/0').prefix, 0);
});
