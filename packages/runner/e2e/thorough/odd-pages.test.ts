// More pages that misbehave than e2e/odd-pages.test.ts has, pages that go on and on, and Chromes that are killed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import { discoverSite } from '../../src/discovery/discover.ts';
import { unavailable } from '../../src/discovery/unavailable.ts';
import { puppeteerEngine } from '../../src/engines/puppeteer.ts';
import { chromesBelowUs, killAll } from '../browser-processes.ts';
import { oddLaboratory, testInvalid, testMeasured } from '../odd-pages.ts';
import { openOddServer } from '../odd-server.ts';

describe('pages that misbehave', proves('invalid-visits', 'production-pages'), () => {
  const laboratory = oddLaboratory();

  testInvalid(laboratory, [
    ['status500', 'http-status', /500/],
    ['status503', 'http-status', /503/, 'h3'],
    ['endlessImage', 'load-timeout', /still open: https:/],
    ['silent', 'load-timeout', /after 3 s/],
    ['infiniteLoop', 'load-timeout', /./],
    ['redirectLoop', 'connection-error', /ERR_TOO_MANY_REDIRECTS/],
    ['selfSigned', 'quic-error', /ERR_QUIC/, 'h3'],
    ['h2only', 'quic-error', /ERR_QUIC/, 'h3'],
  ]);

  testMeasured(laboratory, ['nonAscii', 'manyImages', 'openStream', 'animation', 'metaRefresh'], {
    manyImages: ({ resources }) => assert.ok(resources.length >= 2_000),
  });

  test('discovery refuses what cannot be measured, and says why', async () => {
    const discover = (url: string) => laboratory().discover(url, { protocols: ['h2'] });
    assert.equal((await discover(laboratory().origin.odd.selfSigned)).failure?.reason, 'tls-error');
    assert.equal((await discover('https://no-such-host.pronghorn.test/')).failure?.reason, 'dns-error');
    const moved = await discover(laboratory().origin.odd.redirect);
    assert.equal(moved.failure, null);
    assert.equal(moved.redirects.length, 1);
    assert.notEqual(new URL(moved.finalUrl ?? '').host, new URL(laboratory().origin.odd.redirect).host);
  });

  test('a protocol that the site lacks is reported without loading anything', async () => {
    const discovery = await laboratory().discover(laboratory().origin.odd.h1only);
    for (const protocol of ['h2', 'h3'] as const) {
      const { visit, environment } = await laboratory().visit(laboratory().origin.odd.h1only, protocol, { discovery });
      assert.ok(visit.outcome.verdict === 'invalid' && visit.outcome.reason === 'protocol-unavailable', JSON.stringify(visit.outcome));
      assert.equal(environment, null);
    }
    const { visit } = await laboratory().visit(laboratory().origin.odd.h1only, 'h1', { discovery });
    assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
  });

  test('a site whose HTTP/2 is broken is discovered over HTTP/1.1, and only its visits over HTTP/2 fail', async () => {
    const server = await openOddServer({ brokenHttp2: true });
    const engine = puppeteerEngine(server.lab, laboratory().link.vantagePoint, { ahead: false });
    try {
      const site = { id: '1', url: server.url('/plain'), name: 'broken', expectStatus: 200 };
      const spec = madeSpec({ protocols: ['h1', 'h2'], isolation: 'context' });
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

  test('a closed UDP port is a QUIC error, and the next visit works', async () => {
    const { port } = laboratory().origin;
    const host = `shop.pronghorn.test:${port}`;
    // Nothing listens on the port of an address of ours that no host has; TCP is closed there too, but QUIC doesn't ask.
    const lab = { ...laboratory().lab, trust: { ...laboratory().lab.trust, hostRules: 'MAP shop.pronghorn.test 127.0.0.250' } };
    const nowhere = puppeteerEngine(lab, laboratory().link.vantagePoint);
    try {
      const { evidence } = await nowhere.load({
        ...{ url: `https://${host}/`, protocol: 'h3', discovery: 'forced', forced: [host], view: 'cold', isolation: 'process' },
        ...{ browser: 'chrome', limits: { ...defaultLimits, loadTimeoutMs: 10_000, settleMaxMs: 1_000 } },
      });
      assert.ok(evidence.end.kind === 'navigation-failed' && /ERR_QUIC/.test(evidence.end.error), JSON.stringify(evidence.end));
    } finally {
      await nowhere.close();
    }
    const { outcome } = (await laboratory().visit(`https://${host}/`, 'h3')).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  for (const victim of ['renderer', 'browser'] as const) {
    test(`a killed ${victim} is an invalid visit, and the next one is valid`, async () => {
      const { odd, sites } = laboratory().origin;
      const shop = sites.find(({ name }) => name === 'shop')?.url ?? '';
      // So that the Chrome is there, and has warmed up.
      await laboratory().visit(shop, 'h2');
      const from = Date.now() / 1_000;
      const visiting = laboratory().visit(odd.endlessImage, 'h2', { spec: { limits: { loadTimeoutMs: 60_000 } } });
      await laboratory().logged(from, (entries) => entries.some(({ uri }) => uri.includes('endless-image')));
      killAll(chromesBelowUs().filter(({ type }) => type === victim));
      const { outcome } = (await visiting).visit;
      const expected = victim === 'renderer' ? ['tab-crashed'] : ['browser-crashed', 'engine-error'];
      assert.ok(outcome.verdict === 'invalid' && expected.includes(outcome.reason), JSON.stringify(outcome));
      const next = await laboratory().visit(shop, 'h2');
      assert.equal(next.visit.outcome.verdict, 'valid', JSON.stringify(next.visit.outcome));
    });
  }
});
