// What pages ask Chrome to prepare happens, and what Chrome would prepare by itself does not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deriveOutcome } from '../../src/derive/outcome.ts';
import { pageHints } from '../../src/discovery/discover.ts';
import { openPages } from '../pages.ts';

const limits = { quietMs: 1_000 };

describe('page hints', () => {
  test('a page that preconnects is connected when it asks, in a Chrome of its own and not in a context', async (t) => {
    const late = (host: string) => `<script>setTimeout(() => { new Image().src = 'http://${host}/late.svg' }, 700)</script>`;
    const hinting = (_: unknown, response: import('node:http').ServerResponse) => {
      const { otherHost } = pages;
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        `<!doctype html><link rel="icon" href="data:,"><link rel="preconnect" href="http://${otherHost}"><h1>Hints</h1>${late(otherHost)}`,
      );
    };
    const pages = await openPages(t, { '/': hinting });
    for (const [isolation, early] of [
      ['process', true],
      ['context', false],
    ] as const) {
      const evidence = await pages.load('/', { isolation, limits });
      assert.deepEqual(pageHints(evidence), [`preconnect http://${pages.otherHost}/`]);
      const request = pages.seen.findLast(({ path }) => path === '/late.svg')?.atMs ?? assert.fail('never asked');
      const document = pages.seen.findLast(({ path }) => path === '/')?.atMs ?? 0;
      const prepared = pages.connections.filter((atMs) => atMs > document && atMs < request - 300);
      t.diagnostic(`${isolation}: document ${document}, connections ${pages.connections.join(' ')}, asked ${request}`);
      assert.equal(prepared.length > 0, early, isolation);
    }
  });

  test('a page without hints is asked nothing more than what it asks for, and its document comes over a new connection', async (t) => {
    const pages = await openPages(t, { '/': '<h1>Plain</h1><a href="/next">next</a>', '/next': '<h1>Next</h1>' });
    for (const isolation of ['process', 'context'] as const) {
      const evidence = await pages.load('/', { isolation, limits });
      assert.ok(
        pages.seen.every(({ path }) => path === '/'),
        JSON.stringify(pages.seen),
      );
      const url = evidence.page?.url ?? '';
      const request = {
        protocol: 'h1',
        discovery: 'forced',
        view: 'cold',
        forced: [],
        expectStatus: 200,
        url,
        finalUrl: url,
        usual: null,
      } as const;
      const { outcome, resources } = await deriveOutcome(request, evidence, 1);
      t.diagnostic(`${isolation}: ${pages.connections.length} connections, reused ${resources[0]?.connectionReused}`);
      assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    }
  });
});
