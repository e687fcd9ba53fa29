import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaultLimits, type PageMetrics } from '@pronghorn/core/schemas';
import { alpnOf, protocols } from '@pronghorn/core/vocabulary';
import { readAccessLog } from '@pronghorn/origin';
import { launchChrome } from '../src/chrome/launch.ts';
import { readyTab } from '../src/gather/gather-load.ts';
import { openContext } from '../src/gather/page-session.ts';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

describe('visits of the demo origin', () => {
  let laboratory: Laboratory;
  const url = (name: string) => {
    const site = laboratory.origin.sites.find((one) => one.name === name);
    assert.ok(site, `the demo has a site ${name}`);
    return site.url;
  };
  before(async () => {
    laboratory = await openLaboratory();
  });
  after(async () => {
    await laboratory.close();
  });

  const metricsOf = ({ visit }: PerformedVisit): PageMetrics => {
    assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
    return (visit.outcome as { metrics: PageMetrics }).metrics;
  };

  for (const protocol of protocols) {
    test(`a cold visit over ${protocol} has every object over ${protocol}, says Chrome and says nginx`, async () => {
      const from = Date.now() / 1_000;
      const performed = await laboratory.visit(url('shop'), protocol);
      const metrics = metricsOf(performed);
      assert.equal(metrics[`${protocol}Share`], 1);
      assert.equal(metrics.failedRequests, 0);
      assert.ok(metrics.requests >= 60);
      const { visit } = performed;
      for (const resource of visit.resources) assert.equal(resource.protocol, alpnOf[protocol], resource.url);

      // The log has the two warm-up loads of the new Chrome as well.
      const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from);
      assert.equal(logged.filter((entry) => entry.protocol !== alpnOf[protocol]).length, 0);
      assert.equal(logged.length, 3 * visit.resources.length);
      // h1 has up to six connections, of which the later ones resume the first one's session; h2 and h3 have one.
      if (protocol === 'h1') assert.ok(metrics.connections <= 6);
      else assert.equal(metrics.connections, 1);
      const document = logged.filter(({ uri }) => uri === '/');
      assert.equal(document.length, 3);
      // A cold visit resumes nothing of the visits before it.
      for (const { tlsResumed, earlyData } of document)
        assert.deepEqual({ tlsResumed, earlyData }, { tlsResumed: false, earlyData: false });
    });
  }

  test('times are in the order in which things happen, and SpeedIndex lies within them', async () => {
    const metrics = metricsOf(await laboratory.visit(url('article'), 'h2'));
    const { ttfb, firstContentfulPaint, domContentLoaded, onLoad, loadEventEnd, speedIndex, firstVisualChange, lastVisualChange } = metrics;
    assert.ok(ttfb > 0 && ttfb < domContentLoaded && domContentLoaded <= onLoad && onLoad <= loadEventEnd);
    assert.ok(firstContentfulPaint !== null && firstContentfulPaint > ttfb);
    assert.ok(speedIndex !== null && firstVisualChange !== null && lastVisualChange !== null);
    assert.ok(firstVisualChange <= speedIndex && speedIndex <= lastVisualChange);
    // A frame reaches us within a few refreshes of what Chrome says of the same paint.
    assert.ok(Math.abs(firstVisualChange - firstContentfulPaint) < 100, `${firstVisualChange} and ${firstContentfulPaint}`);
    assert.ok((metrics.linkedDownload ?? 0) >= ttfb);
  });

  test('a resource tells where its time went', async () => {
    const { visit } = await laboratory.visit(url('article'), 'h2');
    const [document] = visit.resources;
    assert.ok(document);
    assert.equal(document.type, 'Document');
    assert.equal(document.connectionReused, false);
    assert.ok((document.connectMs ?? 0) > 0 && (document.tlsMs ?? 0) > 0);
    assert.match(document.remoteAddress ?? '', /^127\.0\.0\.\d+:\d+$/);
    assert.match(document.server ?? '', /^nginx/);
    assert.match(document.altSvc ?? '', /h3=/);
    for (const { startMs, endMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs, transferBytes } of visit.resources) {
      assert.ok(endMs !== null && endMs >= startMs && transferBytes > 0);
      const phases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
      assert.ok(Math.abs(phases - (endMs - startMs)) < 1, `${phases} of ${endMs - startMs}`);
    }
  });

  test('the sharded page shows its true mix, and what discovery forced', async () => {
    const discovery = await laboratory.discover(url('sharded'));
    assert.equal(discovery.failure, null);
    assert.equal(discovery.hosts.length, 6);
    for (const { host, remoteAddress } of discovery.hosts) assert.match(remoteAddress ?? '', /^[\d.:[\]]+:\d+$/, host);
    const named = (label: string) => discovery.hosts.find(({ host }) => host.startsWith(`${label}.`))?.h3;
    assert.equal(named('sharded'), 'proven');
    assert.equal(named('sharded-h1'), 'not-offered');
    assert.equal(named('sharded-h2'), 'not-offered');
    assert.equal(discovery.forced.length, 4);

    const { visit } = await laboratory.visit(url('sharded'), 'h3', { discovery });
    assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
    for (const { host, protocol } of visit.resources) {
      const expected = host.startsWith('sharded-h1') ? 'http/1.1' : host.startsWith('sharded-h2') ? 'h2' : 'h3';
      assert.equal(protocol, expected, host);
    }
  });

  test('a warm visit comes from the cache what can, and proves its protocol by what cannot', async () => {
    for (const protocol of protocols) {
      const { visit } = await laboratory.visit(url('shop'), protocol, { view: 'warm' });
      assert.equal(visit.outcome.verdict, 'valid', JSON.stringify(visit.outcome));
      const logged = (await readAccessLog(laboratory.origin.accessLog)).at(-1);
      assert.equal(logged?.protocol, alpnOf[protocol]);
      assert.equal(logged?.tlsResumed, true, 'new connections, old tickets');
      assert.equal(visit.resources[0]?.status, 304);
      const cached = visit.resources.filter(({ cache }) => cache !== 'none');
      assert.ok(cached.length >= 60, `${cached.length} of ${visit.resources.length} from a cache`);
      assert.equal(visit.resources[0]?.protocol, alpnOf[protocol]);
    }
  });

  test('a page after another has from the cache what both share, and its own document over new connections', async () => {
    const journey = (after: string[], different: object = {}) => ({ view: 'warm' as const, spec: { visitor: { after }, ...different } });
    const asked = async (from: number) =>
      (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from).map(({ uri }) => uri);
    for (const [protocol, isolation] of [...protocols.map((one) => [one, 'context'] as const), ['h3', 'process'] as const]) {
      const from = Date.now() / 1_000;
      const { visit } = await laboratory.visit(url('shop'), protocol, journey(['/?list', '/?list=2'], { isolation }));
      assert.equal(visit.outcome.verdict, 'valid', `${protocol} ${isolation}: ${JSON.stringify(visit.outcome)}`);
      const [document, ...others] = visit.resources;
      assert.deepEqual([document?.status, document?.cache, document?.protocol], [200, 'none', alpnOf[protocol]]);
      const cached = others.filter(({ cache }) => cache !== 'none');
      assert.ok(cached.length >= 60, `${cached.length} of ${visit.resources.length} from a cache`);
      const documents = (await asked(from)).filter((uri) => /^\/(\?|$)/.test(uri));
      assert.deepEqual(documents.slice(-3), ['/?list', '/?list=2', '/']);
      const logged = (await readAccessLog(laboratory.origin.accessLog)).findLast(({ uri }) => uri === '/');
      assert.deepEqual([logged?.protocol, logged?.tlsResumed], [alpnOf[protocol], true]);
    }
    const found = await laboratory.visit(url('shop'), 'h3', journey(['/?list'], { discovery: 'alt-svc' }));
    assert.equal(found.visit.resources[0]?.protocol, 'h3', 'the page before told of it');

    const first = await laboratory.visit(url('shop'), 'h2', journey([]));
    metricsOf(first);
    assert.ok(
      first.visit.resources.every(({ cache, status }) => cache === 'none' && status === 200),
      'the first page of a journey is cold',
    );
  });

  test('a page before that fails makes the visit invalid by its name, and the page is not requested', async () => {
    for (const isolation of ['context', 'process'] as const) {
      const from = Date.now() / 1_000;
      const { visit } = await laboratory.visit(url('shop'), 'h2', { view: 'warm', spec: { visitor: { after: ['/none'] }, isolation } });
      assert.ok(visit.outcome.verdict === 'invalid' && visit.outcome.reason === 'http-status', JSON.stringify(visit.outcome));
      assert.match(
        visit.outcome.detail,
        /^The page before, https:\/\/shop\.pronghorn\.test:\d+\/none, failed \(http-status\), so this one was not opened: .*404/,
      );
      const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from);
      assert.ok(logged.some(({ uri }) => uri === '/none'));
      // A Chrome that is kept warms up with the page.
      if (isolation === 'process') assert.ok(logged.every(({ uri }) => uri !== '/'));
    }
  });

  test('with Alt-Svc discovery the first view begins over h2 and the repeat view is over h3', async () => {
    const spec = { discovery: 'alt-svc' as const };
    const cold = await laboratory.visit(url('shop'), 'h3', { spec });
    metricsOf(cold);
    assert.equal(cold.visit.resources[0]?.protocol, 'h2');
    const warm = await laboratory.visit(url('shop'), 'h3', { spec, view: 'warm' });
    metricsOf(warm);
    // Chrome itself tells the protocol of the cached response here; the log is the witness.
    const logged = (await readAccessLog(laboratory.origin.accessLog)).at(-1);
    assert.equal(logged?.protocol, 'h3');
    assert.equal(warm.visit.resources[0]?.protocol, 'h3');
  });

  test('a fresh Chrome for each visit and the headless shell measure too', async () => {
    const fresh = await laboratory.visit(url('article'), 'h3', { spec: { isolation: 'process' } });
    assert.equal(metricsOf(fresh).h3Share, 1);
    const shell = await laboratory.visit(url('article'), 'h3', { spec: { browser: 'headless-shell' } });
    assert.equal(metricsOf(shell).h3Share, 1);
    assert.match(shell.environment?.browser.executable ?? '', /headless-shell/);
  });

  test('a browser has no page of its own beside the one that is measured', async () => {
    const chrome = await launchChrome({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: laboratory.lab.trust });
    try {
      const opened = new Set<string>();
      chrome.session.on('Target.targetCreated', ({ targetInfo }) => opened.add(`${targetInfo.type} ${targetInfo.url}`));
      chrome.session.on('Target.targetInfoChanged', ({ targetInfo }) => opened.add(`${targetInfo.type} ${targetInfo.url}`));
      // An empty filter shows all targets, those of Chrome's own window too.
      await chrome.session.send('Target.setDiscoverTargets', { discover: true, filter: [{}] });
      const context = await openContext(chrome);
      await (await readyTab(chrome, context.id)).load(url('article'), defaultLimits);
      const foreign = [...opened].filter(
        (target) => !/^(browser|tab|page) ?(about:blank|https:\/\/article\.pronghorn\.test.*)?$/.test(target),
      );
      assert.deepEqual(foreign, []);
      assert.ok([...opened].some((target) => target.includes('article.pronghorn.test')));
    } finally {
      await chrome.close();
    }
  });

  test('the environment tells all that could change the numbers', async () => {
    const { environment } = await laboratory.visit(url('article'), 'h3');
    assert.ok(environment);
    assert.match(environment.browser.product, /Chrome\/\d+/);
    assert.equal(environment.browser.sandbox, true);
    assert.ok(environment.browser.flags.some((flag) => flag.startsWith('--origin-to-force-quic-on=')));
    assert.ok(!environment.browser.flags.some((flag) => flag.includes('user-data-dir')), 'the same environment has the same id');
    assert.equal(environment.origin, laboratory.origin.settings);
    assert.match(environment.id, /^[0-9a-f]{64}$/);
  });
});
