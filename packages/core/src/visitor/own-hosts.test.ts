import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAmongHosts, isOwn, ownHosts } from './own-hosts.ts';

const isOwnOf = (page: string, url: string, named: string[] = []): boolean => isOwn(url, ownHosts(page, { ownHosts: named }));

test('hosts below a page’s host are its own, whatever their port, and beside www. too', () => {
  for (const own of ['https://www.example.com/', 'http://example.com:8080/x', 'wss://a.b.example.com/', 'https://EXAMPLE.com/'])
    assert.ok(isOwnOf('https://www.example.com/', own), own);
  for (const other of [
    'https://badexample.com/',
    'https://example.com.evil.test/',
    'https://evil.test/example.com',
    'data:,x',
    'blob:https://example.com/x',
  ])
    assert.ok(!isOwnOf('https://www.example.com/', other), other);
  assert.ok(!isOwnOf('https://shop.example.com/', 'https://example.com/'));
});

test('www. before what many own is no page of all of them', () => {
  for (const [page, other] of [
    ['https://www.com/', 'https://evil.com/'],
    ['https://www.gov.uk/', 'https://camden.gov.uk/'],
    ['https://www.co.uk/', 'https://evil.co.uk/'],
  ] as const)
    assert.ok(isOwnOf(page, page) && !isOwnOf(page, other), page);
  assert.ok(isOwnOf('https://www.example.co.uk/', 'https://cdn.example.co.uk/'));
});

test('nothing is below an address, and a named host is compared as URLs write it', () => {
  assert.deepEqual(ownHosts('https://192.0.2.1/', {}), ['192.0.2.1']);
  assert.deepEqual(ownHosts('https://[2001:db8::1]/', {}), ['[2001:db8::1]']);
  assert.ok(isOwnOf('https://a.example/', 'https://cdn.münchen.example/', ['*.MÜNCHEN.example']));
});

test('a host is among those that are named by itself or by one above it, however it is written', () => {
  const names = ['api.example.org', '*.shop.example', '*.bücher.example.'];
  for (const url of [
    'https://API.example.org:8443/x',
    'http://shop.example/',
    'https://a.b.shop.example./',
    'https://xn--bcher-kva.example/',
  ])
    assert.ok(isAmongHosts(url, names), url);
  for (const url of [
    'https://x.api.example.org/',
    'https://badshop.example/',
    'https://shop.example.evil.test/',
    'https://shop.example@evil.test/',
  ])
    assert.ok(!isAmongHosts(url, names), url);
  assert.ok(!isAmongHosts('https://shop.example/', []) && !isAmongHosts('no URL', names));
});
