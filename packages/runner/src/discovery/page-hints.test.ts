import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evidence, NetworkEvent } from '../gather/evidence.ts';
import { pageHints } from './page-hints.ts';

const answer = (headers: Record<string, string>, type = 'Document') =>
  ({
    method: 'Network.responseReceived',
    params: { type, response: { url: 'https://example.org/a/', headers } },
  }) as unknown as NetworkEvent;
const hints = (network: NetworkEvent[], ofDocument: string[] = []) =>
  pageHints({ network, page: { hints: ofDocument } as Evidence['page'] });

test('hints are those of the document and of its headers, each once', () => {
  const link =
    '<https://cdn.example>; rel=preconnect; crossorigin, </style.css>; rel=preload; as=style, <//img.example>; rel="dns-prefetch"';
  assert.deepEqual(hints([answer({ Link: link, 'Speculation-Rules': '"/rules.json"' })], ['preconnect https://cdn.example/']), [
    'preconnect https://cdn.example/',
    'dns-prefetch https://img.example/',
    'speculation rules',
  ]);
});

test('what works in every context is no hint, nor is what other resources say', () => {
  assert.deepEqual(hints([answer({ link: '</a.js>; rel=modulepreload' }), answer({ link: '<https://b>; rel=preconnect' }, 'Image')]), []);
  assert.deepEqual(pageHints({ network: [], page: null }), []);
});

test('hints are as long as addresses are, however long a page writes them', () => {
  const long = `https://cdn.example/${'x'.repeat(250_000)}`;
  const found = hints([answer({ link: `<${long}>; rel=preconnect` })], [`dns-prefetch ${long}`]);
  assert.deepEqual(
    found.map(({ length }) => length),
    [2_001, 2_001],
  );
});

test('a header of 250 KB of broken links is read at once', { timeout: 5_000 }, () => {
  const cut = '<https://cdn.example>; rel=preconnect; title="a, <https://img.example>;rel="x dns-prefetch"; rel';
  assert.deepEqual(hints([answer({ link: cut })]), ['preconnect https://cdn.example/', 'dns-prefetch https://img.example/']);
  const began = performance.now();
  for (const piece of ['<a>;rel=x ', '<>;rel=', '<', '<a> ;;', '<a>;rel="'])
    hints([answer({ link: piece.repeat(250_000 / piece.length) })]);
  assert.ok(performance.now() - began < 2_500, `${performance.now() - began} ms`);
});
