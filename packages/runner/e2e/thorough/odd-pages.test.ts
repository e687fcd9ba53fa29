// More pages that misbehave than e2e/odd-pages.test.ts has, pages that go on and on, and Chromes that are killed.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { puppeteerEngine } from '../../src/engines/puppeteer.ts';
import { chromesBelowUs, killAll } from '../browser-processes.ts';
import { type Laboratory, openLaboratory } from '../laboratory.ts';

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
    ['status500', 'http-status', /500/],
    ['status503', 'http-status', /503/, 'h3'],
    ['endlessImage', 'load-timeout', /1 request/],
    ['silent', 'load-timeout', /3000 ms/],
    ['infiniteLoop', 'load-timeout', /./],
    ['redirectLoop', 'connection-error', /ERR_TOO_MANY_REDIRECTS/],
    ['selfSigned', 'quic-error', /ERR_QUIC/, 'h3'],
    ['h2only', 'quic-error', /ERR_QUIC/, 'h3'],
  ];
  for (const [name, reason, detail, protocol = 'h2'] of invalid) {
    test(`${name} over ${protocol}: ${reason}, in its time`, async () => {
      const limits = { loadTimeoutMs: reason === 'load-timeout' ? 3_000 : 10_000, settleMaxMs: 1_500 };
      const started = performance.now();
      const { outcome } = (await laboratory.visit(laboratory.origin.odd[name], protocol, { spec: { limits } })).visit;
      // Both warm-up loads of a new Chrome have the limit too, and QUIC on a silent port fails after 4 s.
      assert.ok(performance.now() - started < 60_000, 'it ended in its time');
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === reason, JSON.stringify(outcome));
      assert.match(outcome.detail, detail);
    });
  }

  for (const name of ['nonAscii', 'manyImages', 'openStream', 'animation', 'metaRefresh'] as const) {
    test(`${name} is measured all the same`, async () => {
      const url = laboratory.origin.odd[name];
      const moves = name === 'metaRefresh' ? { discovery: await laboratory.discover(url, { protocols: ['h2'] }) } : {};
      const { visit } = await laboratory.visit(url, 'h2', { ...moves, spec: { limits: { settleMaxMs: 1_500 } } });
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      if (name === 'manyImages') assert.ok(visit.resources.length >= 2_000);
    });
  }

  test('a closed UDP port is a QUIC error, and the next visit works', async () => {
    const { port } = laboratory.origin;
    const host = `shop.pronghorn.test:${port}`;
    // Nothing listens on the port of an address of ours that no host has; TCP is closed there too, but QUIC doesn't ask.
    const lab = { ...laboratory.lab, trust: { ...laboratory.lab.trust, hostRules: 'MAP shop.pronghorn.test 127.0.0.250' } };
    const nowhere = puppeteerEngine(lab, laboratory.link.vantagePoint);
    try {
      const { evidence } = await nowhere.load({
        ...{ url: `https://${host}/`, protocol: 'h3', discovery: 'forced', forced: [host], view: 'cold', isolation: 'process' },
        ...{ browser: 'chrome', limits: { ...defaultLimits, loadTimeoutMs: 10_000, settleMaxMs: 1_000 } },
      });
      assert.ok(evidence.end.kind === 'navigation-failed' && /ERR_QUIC/.test(evidence.end.error), JSON.stringify(evidence.end));
    } finally {
      await nowhere.close();
    }
    const { outcome } = (await laboratory.visit(`https://${host}/`, 'h3')).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  for (const victim of ['renderer', 'browser'] as const) {
    test(`a killed ${victim} is an invalid visit, and the next one is valid`, async () => {
      const { odd, sites } = laboratory.origin;
      const shop = sites.find(({ name }) => name === 'shop')?.url ?? '';
      // So that the Chrome is there, and has warmed up.
      await laboratory.visit(shop, 'h2');
      const from = Date.now() / 1_000;
      const visiting = laboratory.visit(odd.endlessImage, 'h2', { spec: { limits: { loadTimeoutMs: 60_000 } } });
      await laboratory.logged(from, (entries) => entries.some(({ uri }) => uri.includes('endless-image')));
      killAll(chromesBelowUs().filter(({ type }) => type === victim));
      const { outcome } = (await visiting).visit;
      const expected = victim === 'renderer' ? ['tab-crashed'] : ['browser-crashed', 'engine-error'];
      assert.ok(outcome.verdict === 'invalid' && expected.includes(outcome.reason), JSON.stringify(outcome));
      const next = await laboratory.visit(shop, 'h2');
      assert.equal(next.visit.outcome.verdict, 'valid', JSON.stringify(next.visit.outcome));
    });
  }
});
