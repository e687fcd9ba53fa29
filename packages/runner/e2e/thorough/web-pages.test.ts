// The pages of the web that behave much like those of ../web-pages.test.ts, and how exactly the screen is timed, which takes a quiet machine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { readAccessLog } from '@pronghorn/origin';
import { type Laboratory, openLaboratory } from '../laboratory.ts';
import { atLeast, isMeasured, isWhole, lastShown, type Row, reasonIs, urlOf } from '../web-pages.ts';

/** What a compositor of 60 Hz takes from a page's frame to the one on the screen, on a machine that others use too. */
const framesMs = 70;

describe('more pages as they are in production', { ...proves('production-pages'), timeout: 900_000 }, () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory({ web: true });
  });
  after(() => laboratory.close());

  for (const site of ['application', 'application-timer', 'application-at-once', 'application-tasks'])
    test(`${site}: what it shows at last is measured`, async (context) => {
      await isMeasured(context, laboratory, {
        site,
        limits: { settleMaxMs: 15_000 },
        so: (valid) => {
          const { shown, last, words } = lastShown(valid);
          assert.ok(Math.abs(last - shown) <= framesMs, words);
        },
      });
    });

  const valid: Row[] = [
    { site: 'long-task', limits: { settleMaxMs: 15_000 } },
    { site: 'third-parties', so: ({ metrics }) => assert.equal(metrics.hosts, 31) },
    {
      site: 'slow-protocol',
      protocol: 'h3',
      discovered: true,
      so: ({ metrics }) => assert.ok(metrics.onLoad >= 400, `onLoad ${metrics.onLoad}`),
    },
    {
      site: 'preconnect',
      ownChrome: true,
      so: async () => {
        const asked = (await readAccessLog(laboratory.origin.accessLog)).findLast(({ host }) => host.startsWith('hinted.'));
        assert.ok((asked?.connectionAgeMs ?? 0) >= 300, `the connection was ${asked?.connectionAgeMs} ms old`);
      },
    },
    {
      site: 'speculation',
      ownChrome: true,
      so: async () => {
        const log = await readAccessLog(laboratory.origin.accessLog);
        assert.ok(log.some(({ host, uri }) => host.startsWith('speculation.') && uri === '/next.html'));
      },
    },
    {
      site: 'early-hints',
      so: ({ metrics, resources }) => {
        const sheets = resources.filter(({ url }) => url.endsWith('.css'));
        assert.ok(sheets.length === 2 && sheets.every(({ cache }) => cache === 'none'), sheets.map(({ cache }) => cache).join());
        assert.ok((metrics.documentHeaders ?? 0) >= 600, `headers of the document after ${metrics.documentHeaders} ms`);
      },
    },
    { site: 'popup-ready' },
    { site: 'popup-load' },
    { site: 'cookie-reload', so: isWhole },
    { site: 'open-fetch', so: ({ resources }) => atLeast(resources, '/open', 1_600) },
    { site: 'frames', so: ({ metrics }) => assert.equal(metrics.hosts, 3) },
    { site: 'canonical', discovered: true, so: isWhole },
    { site: 'wall-200', so: isWhole },
    { site: 'wall-reload', so: isWhole },
    { site: 'wall-protocol', so: isWhole },
    { site: 'event-stream' },
    { site: 'long-polling', limits: { settleMaxMs: 3_000 } },
    { site: 'hero-video', so: ({ resources }) => atLeast(resources, '/web/hero.webm', 500_000) },
    { site: 'websocket' },
    { site: 'ten-megabytes', so: ({ metrics }) => assert.ok(metrics.transferBytes >= 9_900_000, `${metrics.transferBytes} bytes`) },
    { site: 'animated' },
    { site: 'soft-404' },
    { site: 'flaky-host', protocol: 'h1' },
    { site: 'flaky-host', protocol: 'h2' },
    { site: 'flaky-host', protocol: 'h3' },
  ];
  for (const row of valid) {
    const over = row.protocol === undefined ? '' : ` over ${row.protocol}`;
    test(`${row.site}${over} is measured`, (context) => isMeasured(context, laboratory, row));
  }

  const invalid: { site: string; protocol: Protocol; reason: InvalidReason }[] = [
    { site: 'wall-protocol', protocol: 'h1', reason: 'redirected' },
    { site: 'login', protocol: 'h2', reason: 'redirected' },
    { site: 'plain-http', protocol: 'h2', reason: 'protocol-unavailable' },
  ];
  for (const { site, protocol, reason } of invalid)
    test(`${site} over ${protocol}: ${reason}`, async () => {
      const options = reason === 'protocol-unavailable' ? { discovery: await laboratory.discover(urlOf(laboratory, site)) } : {};
      reasonIs(await laboratory.visit(urlOf(laboratory, site), protocol, options), reason);
    });
});
