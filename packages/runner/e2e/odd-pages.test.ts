import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits, type Limits, pageMetrics } from '@pronghorn/core/schemas';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import { discoverSite } from '../src/discovery/discover.ts';
import { unavailable } from '../src/discovery/unavailable.ts';
import { puppeteerEngine } from '../src/engines/puppeteer.ts';
import { processTree } from '../src/machine/processes.ts';
import { contentOf } from '../src/machine/run.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { openOddServer } from './odd-server.ts';

/** A page that ends by itself has more time than it takes beside other tests. */
const limitsFor = (reason?: InvalidReason): Partial<Limits> => ({
  loadTimeoutMs: reason === 'load-timeout' ? 3_000 : 10_000,
  settleMaxMs: 1_500,
});
const limits = limitsFor();

describe('pages that misbehave', () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
    assert.deepEqual(chromesBelowUs(), [], 'no Chrome is left');
  });

  const outcomeOf = async (url: string, protocol: Protocol = 'h2', reason?: InvalidReason) => {
    const started = performance.now();
    const { visit } = await laboratory.visit(url, protocol, { spec: { limits: limitsFor(reason) } });
    // Both warm-up loads of a new Chrome have the limit too, and QUIC on a silent port fails after 4 s.
    assert.ok(performance.now() - started < 35_000, 'it ended in its time');
    return visit.outcome;
  };
  type Odd = Laboratory['origin']['odd'];

  const invalid: [keyof Odd, InvalidReason, RegExp, Protocol?][] = [
    ['status404', 'http-status', /404/],
    ['status500', 'http-status', /500/],
    ['status503', 'http-status', /503/, 'h3'],
    ['endlessDocument', 'load-timeout', /3000 ms/],
    ['endlessImage', 'load-timeout', /1 request/],
    ['silent', 'load-timeout', /3000 ms/],
    ['cutOff', 'connection-error', /ERR_/],
    ['cutOff', 'quic-error', /ERR_/, 'h3'],
    ['download', 'not-a-page', /download/],
    ['redirectLoop', 'connection-error', /ERR_TOO_MANY_REDIRECTS/],
    ['redirect', 'redirected', /ended on/],
    ['selfSigned', 'tls-error', /ERR_CERT/],
    ['selfSigned', 'quic-error', /ERR_QUIC/, 'h3'],
    ['h1only', 'wrong-protocol', /http\/1\.1/],
    ['h2only', 'quic-error', /ERR_QUIC/, 'h3'],
  ];
  for (const [name, reason, detail, protocol] of invalid) {
    test(`${name}${protocol === undefined ? '' : ` over ${protocol}`}: ${reason}`, async () => {
      const outcome = await outcomeOf(laboratory.origin.odd[name], protocol, reason);
      assert.equal(outcome.verdict, 'invalid', JSON.stringify(outcome));
      if (outcome.verdict !== 'invalid') return;
      assert.equal(outcome.reason, reason, outcome.detail);
      assert.match(outcome.detail, detail);
      assert.ok(!('metrics' in outcome), 'an invalid visit has no number');
    });
  }

  test('a script that never ends is ended: no number, no hang', async () => {
    const outcome = await outcomeOf(laboratory.origin.odd.infiniteLoop, 'h2', 'load-timeout');
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'load-timeout', JSON.stringify(outcome));
  });

  const valid: (keyof Odd)[] = ['alert', 'nonAscii', 'manyImages', 'openStream', 'animation', 'scriptRedirect', 'metaRefresh'];
  for (const name of valid) {
    test(`${name} is measured all the same`, async () => {
      const url = laboratory.origin.odd[name];
      // Where a page leads by itself is known from its discovery.
      const moves = name === 'scriptRedirect' || name === 'metaRefresh';
      const { visit } = await laboratory.visit(url, 'h2', {
        ...(moves ? { discovery: await laboratory.discover(url) } : {}),
        spec: { limits: { loadTimeoutMs: 30_000, settleMaxMs: 1_500 } },
      });
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      if (name === 'manyImages') assert.ok(visit.resources.length >= 2_000);
    });
  }

  test('an empty page has no paint and no SpeedIndex, rather than zero', async () => {
    const outcome = await outcomeOf(laboratory.origin.odd.empty);
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    if (outcome.verdict !== 'valid') return;
    assert.equal(pageMetrics(outcome)?.firstContentfulPaint, null);
    assert.equal(pageMetrics(outcome)?.speedIndex, null);
    assert.ok((pageMetrics(outcome)?.onLoad ?? 0) > 0);
  });

  test('more requests than allowed end the visit', async () => {
    const { visit } = await laboratory.visit(laboratory.origin.odd.manyImages, 'h2', {
      spec: { limits: { ...limits, loadTimeoutMs: 30_000, maxRequests: 500 } },
    });
    assert.ok(visit.outcome.verdict === 'invalid' && visit.outcome.reason === 'page-too-big', JSON.stringify(visit.outcome));
  });

  test('discovery refuses what cannot be measured, and says why', async () => {
    const discover = async (url: string) => (await laboratory.discover(url, { limits: { ...limits } as Limits })).failure?.reason ?? null;
    assert.equal(await discover(laboratory.origin.odd.selfSigned), 'tls-error');
    assert.equal(await discover('https://no-such-host.pronghorn.test/'), 'dns-error');
    const moved = await laboratory.discover(laboratory.origin.odd.redirect);
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

  test('a closed UDP port is a QUIC error, and the next visit works', async () => {
    const { port } = laboratory.origin;
    // Nothing listens on the port of an address of ours that no host has; TCP is closed there too, but QUIC doesn't ask.
    const nowhere = puppeteerEngine(
      {
        ...laboratory.lab,
        trust: { ...laboratory.lab.trust, hostRules: 'MAP shop.pronghorn.test 127.0.0.250' },
      },
      laboratory.link.vantagePoint,
    );
    try {
      const url = `https://shop.pronghorn.test:${port}/`;
      const { evidence } = await nowhere.load({
        url,
        protocol: 'h3',
        discovery: 'forced',
        forced: [`shop.pronghorn.test:${port}`],
        view: 'cold',
        isolation: 'process',
        browser: 'chrome',
        limits: {
          loadTimeoutMs: 10_000,
          quietMs: 100,
          settleMaxMs: 1_000,
          retries: 0,
          foreignCpuShare: 1,
          maxRequests: 100,
          maxTransferBytes: 1e6,
        },
      });
      assert.ok(evidence.end.kind === 'navigation-failed' && /ERR_QUIC/.test(evidence.end.error), JSON.stringify(evidence.end));
    } finally {
      await nowhere.close();
    }
  });

  for (const victim of ['renderer', 'browser'] as const) {
    test(`a killed ${victim} is an invalid visit, and the next one is valid`, async () => {
      const { odd, sites } = laboratory.origin;
      const shop = sites.find(({ name }) => name === 'shop')?.url ?? '';
      await laboratory.visit(shop, 'h2');
      const visit = laboratory.visit(odd.endlessImage, 'h2', { spec: { limits: { ...limits, loadTimeoutMs: 20_000 } } });
      const killed = await kill(victim);
      const { outcome } = (await visit).visit;
      assert.ok(killed > 0);
      const expected = victim === 'renderer' ? ['tab-crashed'] : ['browser-crashed', 'engine-error'];
      assert.ok(outcome.verdict === 'invalid' && expected.includes(outcome.reason), JSON.stringify(outcome));
      const next = await laboratory.visit(shop, 'h2');
      assert.equal(next.visit.outcome.verdict, 'valid', JSON.stringify(next.visit.outcome));
    });
  }
});

/** Processes below this one whose program is a Chrome: pid and what they are (`browser` when they have no --type). */
function chromesBelowUs(): { pid: number; type: string }[] {
  return processTree(process.pid).flatMap(({ pid }) => {
    // A process that has ended has no command.
    const [program = '', ...args] = contentOf(`/proc/${pid}/cmdline`)?.split(/[\0 ]/) ?? [];
    if (!/chrom/.test(program)) return [];
    return [{ pid, type: /--type=(\S+)/.exec(args.join(' '))?.[1] ?? 'browser' }];
  });
}

/** Kills a Chrome's renderers or the Chrome once a page is loading, and tells how many processes it killed. */
async function kill(victim: 'renderer' | 'browser'): Promise<number> {
  const until = performance.now() + 10_000;
  // The load has begun when there is a renderer beside the ready one; killing all of a type hits it for sure.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  while (performance.now() < until) {
    const victims = chromesBelowUs().filter(({ type }) => type === victim);
    for (const { pid } of victims) process.kill(pid, 'SIGKILL');
    if (victims.length > 0) return victims.length;
  }
  return 0;
}
