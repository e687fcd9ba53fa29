// Odd pages, kills and discoveries by Firefox; e2e/firefox.test.ts has what a visit tells.
import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Limits, PageMetrics } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { type InvalidReason, type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { launchFirefox } from '../../src/firefox/launch-firefox.ts';
import { firefoxPreferences } from '../../src/firefox/preferences.ts';
import type { PerformedVisit } from '../../src/lease/visit.ts';
import { findFirefox } from '../../src/machine/find.ts';
import { firefoxesBelowUs, killAll, lacksFirefox } from '../browser-processes.ts';
import { type Laboratory, openLaboratory } from '../laboratory.ts';

const limits: Partial<Limits> = { loadTimeoutMs: 4_000, settleMaxMs: 1_500 };
const firefox = { engine: 'firefox', browser: 'firefox' } as const;

describe('visits by Firefox', { ...proves('engines'), skip: lacksFirefox() }, () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(firefoxesBelowUs(), [], 'no Firefox is left');
  });
  const url = (name: string) => laboratory.origin.sites.find((site) => site.name === name)?.url ?? assert.fail(`no site ${name}`);
  const visit = (page: string, protocol: Protocol, options: Parameters<Laboratory['visit']>[2] = {}) =>
    laboratory.visit(page, protocol, { ...options, spec: { ...firefox, ...options.spec } });
  const metricsOf = ({ visit: { outcome } }: PerformedVisit): PageMetrics => {
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    return (outcome as { metrics: PageMetrics }).metrics;
  };

  test('the sharded page is discovered and shows its true mix', async () => {
    const discovery = await laboratory.discover(url('sharded'), firefox);
    assert.equal(discovery.failure, null);
    assert.equal(discovery.hosts.length, 6);
    assert.equal(discovery.forced.length, 4);
    const performed = await visit(url('sharded'), 'h3', { discovery });
    metricsOf(performed);
    for (const { host, protocol } of performed.visit.resources) {
      const expected = host.startsWith('sharded-h1') ? 'http/1.1' : host.startsWith('sharded-h2') ? 'h2' : 'h3';
      assert.equal(protocol, expected, host);
    }
    const connections = Map.groupBy(performed.visit.resources, ({ connectionId }) => connectionId);
    for (const [id, those] of connections) {
      assert.notEqual(id, null);
      assert.equal(new Set(those.map(({ remoteAddress }) => remoteAddress)).size, 1);
      assert.equal(those.filter(({ connectionReused }) => connectionReused === false).length, 1);
    }
  });

  const invalid: [keyof Laboratory['origin']['odd'], InvalidReason, RegExp, Protocol?][] = [
    ['status404', 'http-status', /404/],
    ['status503', 'http-status', /503/, 'h3'],
    ['endlessDocument', 'load-timeout', /after 4 s/],
    ['endlessImage', 'load-timeout', /still open: https:/],
    ['silent', 'load-timeout', /after 4 s/],
    ['cutOff', 'connection-error', /NS_ERROR/],
    ['download', 'not-a-page', /download/],
    ['redirectLoop', 'connection-error', /NS_ERROR_REDIRECT_LOOP/],
    ['redirect', 'redirected', /ended on/],
    ['selfSigned', 'tls-error', /./],
    // It doesn't fall back, and where nobody answers over UDP it doesn't give up either.
    ['h2only', 'load-timeout', /after 4 s/, 'h3'],
    ['infiniteLoop', 'load-timeout', /./],
    ['h1only', 'wrong-protocol', /http\/1\.1/],
  ];
  // Most of their time is waiting.
  describe('pages that give no valid visit', { concurrency: 3 }, () => {
    for (const [name, reason, detail, protocol = 'h2'] of invalid) {
      test(`${name} over ${protocol}: ${reason}`, async () => {
        const started = performance.now();
        const { outcome } = (await visit(laboratory.origin.odd[name], protocol, { spec: { limits } })).visit;
        assert.ok(performance.now() - started < 60_000, 'it ended in its time');
        assert.equal(outcome.verdict, 'invalid', JSON.stringify(outcome));
        if (outcome.verdict !== 'invalid') return;
        assert.equal(outcome.reason, reason, outcome.detail);
        assert.match(outcome.detail, detail);
      });
    }
  });

  test('a host that no one has is a DNS error, and one that refuses is a connection error', async () => {
    for (const [page, reason] of [
      ['https://no-such-host.pronghorn.test/', 'dns-error'],
      ['https://article.pronghorn.test:2/', 'connection-error'],
    ] as const) {
      const { outcome } = (await visit(page, 'h2', { spec: { limits } })).visit;
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === reason, JSON.stringify(outcome));
    }
  });

  describe('odd pages are measured all the same', { concurrency: 2 }, () => {
    for (const name of ['alert', 'manyImages', 'openStream', 'animation', 'scriptRedirect', 'metaRefresh', 'empty'] as const) {
      test(`${name} is measured`, async () => {
        const page = laboratory.origin.odd[name];
        // Where a page leads by itself is known from its discovery.
        const moves = name === 'scriptRedirect' || name === 'metaRefresh';
        const performed = await visit(page, 'h2', {
          ...(moves ? { discovery: await laboratory.discover(page, firefox) } : {}),
          spec: { limits: { settleMaxMs: 1_500 } },
        });
        const metrics = metricsOf(performed);
        if (name === 'manyImages') assert.ok(performed.visit.resources.length >= 2_000);
        if (name === 'empty') assert.equal(metrics.firstContentfulPaint, null);
      });
    }
  });

  test('more requests than allowed end the visit', async () => {
    const { outcome } = (await visit(laboratory.origin.odd.manyImages, 'h2', { spec: { limits: { maxRequests: 500 } } })).visit;
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'page-too-big', JSON.stringify(outcome));
  });

  for (const victim of ['tab', 'browser'] as const) {
    test(`a killed ${victim} is an invalid visit, and the next one is valid`, async () => {
      const from = Date.now() / 1_000;
      const visiting = visit(laboratory.origin.odd.endlessImage, 'h2', { spec: { limits: { ...limits, loadTimeoutMs: 60_000 } } });
      await laboratory.logged(from, (entries) => entries.some(({ uri }) => uri.includes('endless-image')));
      killAll(firefoxesBelowUs().filter(({ type }) => type === victim));
      const { outcome } = (await visiting).visit;
      const expected = victim === 'tab' ? ['tab-crashed'] : ['browser-crashed'];
      assert.ok(outcome.verdict === 'invalid' && expected.includes(outcome.reason), JSON.stringify(outcome));
      metricsOf(await visit(url('article'), 'h2'));
    });
  }

  test('every preference is one that this Firefox knows', async () => {
    const running = await launchFirefox({ protocol: 'h3', discovery: 'forced', forced: ['a.test:443'], lab: laboratory.lab.trust });
    try {
      // A name that is wrong would be kept, and do nothing.
      const names = protocols.flatMap((protocol) =>
        Object.keys(firefoxPreferences({ protocol, discovery: 'forced', forced: ['a.test:443'], lab: true })),
      );
      const folder = dirname(realpathSync(findFirefox()));
      const program = ['libxul.so', 'omni.ja', 'browser/omni.ja'].map((file) => readFileSync(join(folder, file)));
      const unknown = await running.inside.run<string[]>(
        `${JSON.stringify([...new Set(names)])}.filter((name) => Services.prefs.getDefaultBranch('').getPrefType(name) === Services.prefs.PREF_INVALID)`,
      );
      assert.deepEqual(
        unknown.filter((name) => !program.some((part) => part.includes(name))),
        [],
      );
    } finally {
      await running.close();
    }
  });
});
