import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkEvent } from '../gather/evidence.ts';
import { addressOf, loadedDocument, passedUrls } from './document.ts';
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
