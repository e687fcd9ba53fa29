import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits, pageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import { discoverSite } from '../src/discovery/discover.ts';
import { unavailable } from '../src/discovery/unavailable.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { chromesBelowUs } from './browser-processes.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { openOddServer } from './odd-server.ts';

// Each reason once; e2e/thorough/odd-pages.test.ts has more pages.
describe('pages that misbehave', proves('invalid-visits', 'production-pages'), () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(chromesBelowUs(), [], 'no Chrome is left');
  });
  type Odd = Laboratory['origin']['odd'];

  const invalid: [keyof Odd, InvalidReason, RegExp, Protocol?][] = [
    ['status404', 'http-status', /404/],
    ['endlessDocument', 'load-timeout', /3000 ms/],
    ['cutOff', 'connection-error', /ERR_/],
    ['download', 'not-a-page', /download/],
    ['redirect', 'redirected', /ended on/],
    ['selfSigned', 'tls-error', /ERR_CERT/],
    ['h1only', 'wrong-protocol', /http\/1\.1/],
    ['cutOff', 'quic-error', /ERR_/, 'h3'],
  ];
  for (const [name, reason, detail, protocol = 'h2'] of invalid) {
    test(`${name} over ${protocol}: ${reason}`, async () => {
      const limits = reason === 'load-timeout' ? { loadTimeoutMs: 3_000 } : {};
      const { outcome } = (await laboratory.visit(laboratory.origin.odd[name], protocol, { spec: { limits } })).visit;
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === reason, JSON.stringify(outcome));
      assert.match(outcome.detail, detail);
      assert.ok(!('metrics' in outcome), 'an invalid visit has no number');
    });
  }

  test('more requests than allowed end the visit', async () => {
    const shop = laboratory.origin.sites.find(({ name }) => name === 'shop')?.url ?? '';
    const { outcome } = (await laboratory.visit(shop, 'h2', { spec: { limits: { maxRequests: 20 } } })).visit;
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'page-too-big', JSON.stringify(outcome));
  });

  test('a page that stops for a dialog, and one that leads elsewhere by its script, are measured all the same', async () => {
    for (const name of ['alert', 'scriptRedirect'] as const) {
      const url = laboratory.origin.odd[name];
      // Where a page leads by itself is known from its discovery.
      const moves = name === 'scriptRedirect' ? { discovery: await laboratory.discover(url, { protocols: ['h2'] }) } : {};
      const { outcome } = (await laboratory.visit(url, 'h2', { ...moves, spec: { limits: { settleMaxMs: 1_500 } } })).visit;
      assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    }
  });

  test('an empty page has no paint and no SpeedIndex, rather than zero', async () => {
    const { outcome } = (await laboratory.visit(laboratory.origin.odd.empty, 'h2')).visit;
    const metrics = pageMetrics(outcome);
    assert.ok(metrics, JSON.stringify(outcome));
    assert.deepEqual([metrics.firstContentfulPaint, metrics.speedIndex], [null, null]);
    assert.ok(metrics.onLoad > 0);
  });

  test('discovery refuses what cannot be measured, and says why', async () => {
    const discover = (url: string) => laboratory.discover(url, { protocols: ['h2'] });
    assert.equal((await discover(laboratory.origin.odd.selfSigned)).failure?.reason, 'tls-error');
    assert.equal((await discover('https://no-such-host.pronghorn.test/')).failure?.reason, 'dns-error');
    const moved = await discover(laboratory.origin.odd.redirect);
    assert.equal(moved.failure, null);
    assert.equal(moved.redirects.length, 1);
    assert.notEqual(new URL(moved.finalUrl ?? '').host, new URL(laboratory.origin.odd.redirect).host);
  });

  test('a protocol that the site lacks is reported without loading anything', async () => {
    const discovery = await laboratory.discover(laboratory.origin.odd.h1only);
    for (const protocol of ['h2', 'h3'] as const) {
      const { visit, environment } = await laboratory.visit(laboratory.origin.odd.h1only, protocol, { discovery });
      assert.ok(visit.outcome.verdict === 'invalid' && visit.outcome.reason === 'protocol-unavailable', JSON.stringify(visit.outcome));
      assert.equal(environment, null);
    }
    const { visit } = await laboratory.visit(laboratory.origin.odd.h1only, 'h1', { discovery });
    assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
  });

  test('a site whose HTTP/2 is broken is discovered over HTTP/1.1, and only its visits over HTTP/2 fail', async () => {
    const server = await openOddServer({ brokenHttp2: true });
    const engine = puppeteerEngine(server.lab, laboratory.link.vantagePoint);
    try {
      const site = { id: '1', url: server.url('/plain'), name: 'broken', expectStatus: 200 };
      const spec = madeSpec({ protocols: ['h1', 'h2'] });
      const discovery = await discoverSite(engine, site, { id: '1', spec, verdicts: {}, replaces: null }, 'runner');
      assert.equal(discovery.failure, null);
      assert.deepEqual([unavailable('h1', discovery, 'forced'), unavailable('h2', discovery, 'forced')], [null, null]);
      for (const [protocol, end] of [
        ['h1', 'quiet'],
        ['h2', 'navigation-failed'],
      ] as const) {
        const { evidence } = await engine.load({
          ...{ url: site.url, protocol, discovery: 'forced', forced: [], view: 'cold', isolation: 'context', browser: 'chrome' },
          limits: defaultLimits,
        });
        assert.equal(evidence.end.kind, end, protocol);
      }
    } finally {
      await engine.close();
      await server.close();
    }
  });
});
