import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownHosts } from './known-hosts.ts';

const shop = { url: 'https://shop.example/', remoteAddress: '203.0.113.1:443' };

test('a host keeps its first address for five minutes, then its name alone is known', () => {
  const hosts = new KnownHosts();
  hosts.note([shop, { url: 'https://six.example:8443/a', remoteAddress: '[2001:db8::1]:8443' }], 0);
  hosts.note([{ ...shop, remoteAddress: '203.0.113.2:443' }], 1_000);
  hosts.age(300_000);
  assert.deepEqual(hosts.all(), { 'six.example': '2001:db8::1', 'shop.example': '203.0.113.1' });
  hosts.age(300_001);
  assert.deepEqual(hosts.all(), { 'six.example': null, 'shop.example': null });
  hosts.note([{ ...shop, remoteAddress: '203.0.113.2:443' }], 300_002);
  assert.equal(hosts.all()['shop.example'], '203.0.113.2');
});

test('what is no name of a nameserver’s is left out, and whatever a page calls a host can’t become a word of another program', () => {
  const hosts = new KnownHosts((name) => name.endsWith('.lab.test'));
  for (const url of [
    'https://a,shop.example/',
    'https://-x.example/',
    'https://192.0.2.7/',
    'https://[2001:db8::7]/',
    'https://article.lab.test/',
    'data:,x',
  ])
    hosts.note([{ url, remoteAddress: '203.0.113.1:443' }], 0);
  hosts.note(
    [
      { url: 'https://failed.example/', remoteAddress: null },
      { url: 'https://odd.example/', remoteAddress: 'unix:' },
    ],
    0,
  );
  assert.deepEqual(hosts.all(), {});
});

test('of many hosts those that were loaded last are kept', () => {
  const hosts = new KnownHosts();
  hosts.note([shop, ...Array.from({ length: 500 }, (_, at) => ({ ...shop, url: `https://${at}.example/` }))], 0);
  hosts.note([shop], 1);
  assert.equal(Object.keys(hosts.all()).length, 500);
  assert.ok('shop.example' in hosts.all());
  assert.ok(!('0.example' in hosts.all()));
});
