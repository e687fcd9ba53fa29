import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwn, ownHosts } from './own-hosts.ts';

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
