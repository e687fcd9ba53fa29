// What pages ask Chrome to prepare happens, and what Chrome would prepare by itself does not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { deriveOutcome } from '../src/derive/outcome.ts';
import { pageHints } from '../src/discovery/discover.ts';
import { html, openPages, type Page } from './pages.ts';
import { until } from './until.ts';

const limits = { loadTimeoutMs: 120_000, quietMs: 1_000, settleMaxMs: 60_000 };

describe('page hints', proves('isolation'), () => {
  test('a page that preconnects is connected before it asks, in a Chrome of its own and not in a context', async (t) => {
    const third = await openPages(t, {});
    let preconnects = true;
    /** The page asks the other host once this is answered: not before it was connected, if it should be. */
    const ready: Page = async (_, response) => {
      if (preconnects)
        await until(
          () => third.connections.length > 0,
          () => 'a connection to the host that the page preconnects to',
        );
      else await new Promise((resolve) => setTimeout(resolve, 700));
      connectedBefore = third.connections.length > 0;
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(`new Image().src = 'http://${third.host}/late.svg'`);
    };
    let connectedBefore = false;
    const pages = await openPages(t, {
      // A Chrome for contexts loads a page more than once before it measures.
      '/': (_, response) => {
        third.connections.length = 0;
        third.seen.length = 0;
        html(response, `<link rel="preconnect" href="http://${third.host}"><h1>Hints</h1><script src="/ready.js"></script>`);
      },
      '/ready.js': ready,
    });
    for (const isolation of ['process', 'context'] as const) {
      preconnects = isolation === 'process';
      const evidence = await pages.load('/', { isolation, limits });
      assert.deepEqual(pageHints(evidence), [`preconnect http://${third.host}/`]);
      assert.deepEqual(
        third.seen.map(({ path }) => path),
        ['/late.svg'],
      );
      assert.equal(connectedBefore, preconnects, isolation);
    }
  });

  test('a page without hints is asked nothing more than what it asks for, and its document comes over a new connection', async (t) => {
    const pages = await openPages(t, { '/': '<h1>Plain</h1><a href="/next">next</a>', '/next': '<h1>Next</h1>' });
    for (const isolation of isThorough ? (['process', 'context'] as const) : (['process'] as const)) {
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
