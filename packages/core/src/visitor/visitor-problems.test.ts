import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visitor } from '../schemas/visitor.ts';
import { urlPatternsOf, visitorProblems } from './visitor-problems.ts';

const pointersOf = (visitor: Visitor): string[] => visitorProblems(visitor, ['env', 'file', 'secret']).map(({ pointer }) => pointer);

test('headers and cookies that Chrome would not send are refused', () => {
  const header = (name: string, value = 'x'): Visitor => ({ headers: [{ name, value }] });
  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'TE'])
    assert.deepEqual(pointersOf(header(name)), ['headers/0/name'], name);
  for (const value of ['a\r\nX-Other: b', 'a\nb', 'a\0b', '\x7f'])
    assert.deepEqual(pointersOf(header('X-Staging', value)), ['headers/0/value']);
  for (const value of ['a\tb', 'größer', '', 'a; b="c"']) assert.deepEqual(pointersOf(header('X-Staging', value)), [], value);
  const twice = { headers: ['X-A', 'x-a'].map((name) => ({ name, value: '1' })) };
  assert.deepEqual(pointersOf(twice), ['headers/1/name']);
  const login = { user: 'ann', password: 'env:P' };
  assert.deepEqual(pointersOf({ ...header('Authorization', 'env:A'), basicAuth: login }), ['headers/0/name']);

  const cookie = (name: string, value = 'x', domain = 'example.com'): Visitor => ({ cookies: [{ name, value, domain }] });
  assert.deepEqual(pointersOf(cookie('__Host-a', 'x', '.example.com')), ['cookies/0/domain']);
  assert.deepEqual(pointersOf(cookie('a', 'ö'.repeat(2_048))), ['cookies/0/value'], '4,097 bytes with its name');
  assert.deepEqual(pointersOf(cookie('a', `${'ö'.repeat(2_047)}.`)), []);
  const user = { user: 'ann\nx', password: 'env:P' };
  assert.deepEqual(pointersOf({ basicAuth: user, proxy: 'http://a', proxyAuth: user }), ['basicAuth/user', 'proxyAuth/user']);
  for (const name of ['a;b', 'a=b', 'a\nb', ' a']) assert.deepEqual(pointersOf(cookie(name)), ['cookies/0'], name);
  for (const value of ['a;b', 'a\r\nb']) assert.deepEqual(pointersOf(cookie('a', value)), ['cookies/0/value'], value);
  assert.deepEqual(pointersOf(cookie('a', 'x', 'https://a.example')), ['cookies/0/domain']);
  assert.deepEqual(pointersOf(cookie('consent', '{"all":true, "at":1}', '.example.com')), []);
  assert.deepEqual(pointersOf({ steps: [{ cookie: 'a;b', value: 'x\n' }] }), ['steps/0', 'steps/0/value']);
});

test('hosts, patterns and proxies that can be read in no way, or in another than meant, are refused', () => {
  for (const host of [
    '*',
    '*.com',
    'a b',
    'a.example:443',
    'https://a.example',
    'a.example/x',
    'u@a.example',
    'a,b',
    '[::1',
    '*.*.example',
  ])
    assert.deepEqual(pointersOf({ ownHosts: [host] }), ['ownHosts/0'], host);
  for (const host of ['cdn.example.com', '*.example.com', 'münchen.example', 'intranet', '192.0.2.1', '[2001:db8::1]'])
    assert.deepEqual(pointersOf({ ownHosts: [host] }), [], host);
  for (const pattern of ['a b', '/ads/*', 'https://[', '*://*:*/(ads|track)/*'])
    assert.deepEqual(pointersOf({ block: [pattern] }), ['block/0'], pattern);
  for (const pattern of ['[2001:db8::1]', 'ads.example', '*.ads.example', '*://*:*/ads/*', 'https://a.example/x?*'])
    assert.deepEqual(pointersOf({ block: [pattern] }), []);
  const hosts = ['proxy:99999', 'proxy:0', '256.256.256.256', '1.2.3.4.5', '[::::]'];
  const wrongHosts = hosts.flatMap((host) => [`http://${host}`, `socks5://${host}`]);
  for (const proxy of ['http://a;https=b', 'http://a:1,direct:', 'http://a b', 'http://a?x', 'http://a:b', 'http://', ...wrongHosts])
    assert.deepEqual(pointersOf({ proxy }), ['proxy'], proxy);
  for (const proxy of ['http://proxy.example:3128', 'socks5://[2001:db8::1]:1080', 'https://proxy'])
    assert.deepEqual(pointersOf({ proxy }), []);
});

test('the pattern of a host is for all of its ports and paths, of an address of IPv6 too', () => {
  const isOf = (host: string, url: string): boolean => urlPatternsOf(host).some((pattern) => new URLPattern(pattern).test(url));
  for (const [host, url] of [
    ['[2001:db8::1]', 'https://[2001:db8::1]:8443/x'],
    ['192.0.2.1', 'http://192.0.2.1/'],
    ['*.a.example', 'https://b.a.example/x?y'],
  ] as const)
    assert.ok(isOf(host, url) && !isOf(host, 'https://[2001:db8::2]/'), host);
});

test('a CA with a private key is refused: it would be stored', () => {
  const [begin, key] = ['-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n', '-----BEGIN EC PRIVATE KEY-----\nMHc=\n'];
  assert.deepEqual(pointersOf({ ca: begin }), []);
  assert.deepEqual(pointersOf({ ca: begin + key }), ['ca']);
});

test('steps go to pages of the web alone, without an account in the URL', () => {
  for (const goto of [
    'file:///etc/passwd',
    'chrome://version',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://u:p@a.example/',
    'https:u:p@a.example/',
    'view-source:x',
  ])
    assert.deepEqual(pointersOf({ steps: [{ goto }] }), ['steps/0/goto'], goto);
  for (const goto of ['/login', 'login?x=1', '//b.example/', 'https://b.example/']) assert.deepEqual(pointersOf({ steps: [{ goto }] }), []);
});
