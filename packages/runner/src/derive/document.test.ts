import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkEvent } from '../gather/evidence.ts';
import { addressOf, differingToken, loadedDocument, passedUrls, samePage } from './document.ts';
import { resource } from './resource.fixture.ts';

const sent = (url: string, frameId = 'main', type = 'Document') =>
  ({ method: 'Network.requestWillBeSent', params: { frameId, type, request: { url } } }) as unknown as NetworkEvent;
const answered = (url: string, frameId = 'main', status = 200) =>
  ({ method: 'Network.responseReceived', params: { frameId, type: 'Document', response: { url, status } } }) as unknown as NetworkEvent;

const [plain, gate, consent, home] = [
  'http://example.org/',
  'https://example.org/',
  'https://consent.example/',
  'https://www.example.org/',
];
const frame = 'https://ads.example/frame';
const document = (url: string, remoteAddress: string, status = 200) => resource({ url, type: 'Document', remoteAddress, status });

test('a page that navigated by itself reports its last document: its origin, and the documents before it', () => {
  const network = [
    ...[sent(plain), sent(gate), answered(gate), sent(frame, 'frame'), answered(frame, 'frame')],
    ...[sent(consent), sent(home), answered(home), sent('https://www.example.org/a.png', 'main', 'Image')],
  ];
  const resources = [
    ...[document(plain, '192.0.2.1:80', 301), document(gate, '192.0.2.1:443'), document(frame, '192.0.2.7:443')],
    ...[document(consent, '192.0.2.2:443', 302), document(home, '[2001:db8::3]:443'), resource({ url: `${home}a.png` })],
  ];
  assert.deepEqual(passedUrls({ network }), [plain, gate, consent]);
  assert.equal(addressOf(loadedDocument({ network }, resources)), '2001:db8::3');
});

test('a page that stays has passed its redirects alone, and one that reloads itself has passed nothing', () => {
  assert.deepEqual(passedUrls({ network: [sent(gate), sent(home), answered(home), sent(frame, 'frame')] }), [gate]);
  assert.deepEqual(passedUrls({ network: [sent(home), answered(home), sent(home), answered(home)] }), []);
  assert.deepEqual(passedUrls({ network: [sent(gate), sent(home)] }), [gate], 'nothing answered');
  assert.deepEqual(
    passedUrls({ network: [sent(home), answered(home), sent(gate), answered(gate, 'main', 204)] }),
    [],
    'an answer without content',
  );
  assert.deepEqual(passedUrls({ network: [] }), []);
});

test('a session that ASP.NET keeps in the path makes no other page; anything else in a path does', () => {
  const at = (path: string) => `https://shop.example${path}`;
  const isSame = (a: string, b: string) => samePage(at(a), at(b));
  assert.ok(isSame('/(S(x1y2abcd))/home.aspx', '/(S(z3w4efgh))/home.aspx?id=7'));
  assert.ok(isSame('/app/(X(1)S(x1y2))/home.aspx', '/app/(X(1)S(z3)F(a-b_c))/home.aspx'));
  assert.ok(isSame('/(S(x1y2))/home.aspx', '/home.aspx'), 'once it has a cookie');
  const others = [
    ['/(S(x1y2))/home.aspx', '/(S(x1y2))/login.aspx'],
    ['/home', '/login'],
    ['/', '/login'],
    ['/article/5f2b9c01', '/article/77ae10d3'],
    ['/wiki/Mercury_(planet)', '/wiki/Mercury_(element)'],
    ['/(planet)/', '/(element)/'],
    ['/S(x1)/a', '/S(z3)/a'],
    ['/(S(x1y2))', '/(S(z3w4))'],
  ] as const;
  for (const [a, b] of others) assert.ok(!isSame(a, b), `${a} is ${b}`);
  assert.ok(!samePage('https://shop.example/(S(x1))/a', 'https://login.example/(S(x1))/a'));
});

test('the one part of a path that may be a session is named, a word and a second one are not', () => {
  const token = (a: string, b: string, host = 'shop.example') => differingToken(`https://shop.example${a}`, `https://${host}${b}`);
  assert.equal(token('/s/5f2b9c01/home', '/s/77ae10d3/home?x=1'), '5f2b9c01');
  const none = [
    ['/home', '/login'],
    ['/', '/login123'],
    ['/s/5f2b9c01/home', '/s/77ae10d3/login'],
    ['/s/5f2b9c01/home', '/s/77ae10d3'],
    ['/home', '/home'],
  ] as const;
  for (const [a, b] of none) assert.equal(token(a, b), undefined, `${a}, ${b}`);
  assert.equal(token('/5f2b9c01', '/5f2b9c01', '10login.example'), undefined);
});
