// What a visit counts against what the server saw.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits, type PageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { deriveOutcome } from '../src/derive/outcome.ts';
import type { Engine, Load } from '../src/engines/engine.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { type Link, openLink } from '../src/link/link.ts';
import { hintedMs, type OddServer, openOddServer, unfinishedBytes } from './odd-server.ts';

describe('counts are what happened', proves('production-pages', 'metrics'), () => {
  let server: OddServer;
  let link: Link;
  let engine: Engine;
  before(async () => {
    server = await openOddServer();
    link = await openLink({ choice: 'direct', conditions: [], outside: false });
    engine = puppeteerEngine(server.lab, link.vantagePoint);
    // The first load of a Chrome is thrown away, and asks the server too.
    await metricsOf('/plain');
  });
  after(async () => {
    await engine.close();
    await link.close();
    await server.close();
  });

  const metricsOf = async (path: string, settleMaxMs = defaultLimits.settleMaxMs): Promise<{ metrics: PageMetrics; sent: number }> => {
    const load: Load = {
      ...{ url: server.url(path), protocol: 'h2', discovery: 'forced', forced: [], view: 'cold', isolation: 'context', browser: 'chrome' },
      limits: { ...defaultLimits, settleMaxMs },
    };
    server.paths.length = 0;
    const { evidence } = await engine.load(load);
    const { outcome } = await deriveOutcome({ ...load, expectStatus: 200, finalUrl: load.url, usual: null }, evidence, 1);
    assert.ok(outcome.verdict === 'valid', JSON.stringify(outcome));
    return { metrics: outcome.metrics, sent: server.paths.length };
  };

  for (const path of ['/plain', '/policy', '/stopped', '/hinted', '/taken-back', '/critical']) {
    test(`${path}: as many requests as the server saw`, async () => {
      const { metrics, sent } = await metricsOf(path);
      assert.equal(metrics.requests, sent);
      // The first byte is the hints', which Chrome follows before the server begins to wait.
      if (path === '/hinted') assert.ok((metrics.documentHeaders ?? 0) - metrics.ttfb >= hintedMs, JSON.stringify(metrics));
    });
  }

  test('bytes of a stream that never ends are those that came', async () => {
    const { metrics } = await metricsOf('/unfinished', 700);
    assert.ok(metrics.transferBytes >= unfinishedBytes, `${metrics.transferBytes}`);
  });

  test('a WebSocket is counted by itself, and no connection or request of it', async () => {
    const { metrics } = await metricsOf('/sockets');
    assert.deepEqual([metrics.webSockets, metrics.requests, metrics.connections], [1, 1, 1]);
  });
});
