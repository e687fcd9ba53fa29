import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownHosts } from './command-executor.ts';

const page = 'https://shop.example/article';
const shop = { url: 'https://shop.example/', remoteAddress: '203.0.113.1:443' };

test('a host keeps its first address for five minutes, then its name alone is known', () => {
  const hosts = new KnownHosts();
  hosts.note(page, [shop, { url: 'https://six.example:8443/a', remoteAddress: '[2001:db8::1]:8443' }], 0);
  hosts.note(page, [{ ...shop, remoteAddress: '203.0.113.2:443' }], 1_000);
  hosts.age(300_000);
  assert.deepEqual(hosts.of(page), { 'six.example': '2001:db8::1', 'shop.example': '203.0.113.1' });
  hosts.age(300_001);
  assert.deepEqual(hosts.of(page), { 'six.example': null, 'shop.example': null });
  hosts.note(page, [{ ...shop, remoteAddress: '203.0.113.2:443' }], 300_002);
  assert.equal(hosts.of(page)['shop.example'], '203.0.113.2');
});

test('strings that are not host names are left out, and no host name of a page can become a word of another program', () => {
  const hosts = new KnownHosts((name) => name.endsWith('.lab.test'));
  for (const url of [
    'https://a,shop.example/',
    'https://-x.example/',
    'https://192.0.2.7/',
    'https://[2001:db8::7]/',
    'https://article.lab.test/',
    'data:,x',
  ])
    hosts.note(page, [{ url, remoteAddress: '203.0.113.1:443' }], 0);
  hosts.note(
    page,
    [
      { url: 'https://failed.example/', remoteAddress: null },
      { url: 'https://odd.example/', remoteAddress: 'unix:' },
    ],
    0,
  );
  assert.deepEqual(hosts.of(page), {});
});

test('each page has its own hosts, and of many pages those that were loaded last are kept', () => {
  const hosts = new KnownHosts();
  hosts.note(page, [shop], 0);
  hosts.note('https://other.example/', [{ ...shop, remoteAddress: '203.0.113.2:443' }], 0);
  assert.deepEqual(hosts.of(page), { 'shop.example': '203.0.113.1' });
  assert.deepEqual(hosts.of('https://other.example/'), { 'shop.example': '203.0.113.2' });
  assert.deepEqual(hosts.of('https://third.example/'), {});
  for (let at = 0; at < 198; at++) hosts.note(`https://${at}.example/`, [shop], 0);
  hosts.note(page, [], 0);
  hosts.note('https://last.example/', [shop], 0);
  assert.deepEqual(Object.keys(hosts.of(page)), ['shop.example']);
  assert.deepEqual(hosts.of('https://other.example/'), {});
});

test('of many hosts those that were loaded last are kept', () => {
  const hosts = new KnownHosts();
  hosts.note(page, [shop, ...Array.from({ length: 500 }, (_, at) => ({ ...shop, url: `https://${at}.example/` }))], 0);
  hosts.note(page, [shop], 1);
  assert.equal(Object.keys(hosts.of(page)).length, 500);
  assert.ok('shop.example' in hosts.of(page));
  assert.ok(!('0.example' in hosts.of(page)));
});
