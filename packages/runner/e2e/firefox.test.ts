import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Limits, PageMetrics } from '@pronghorn/core/schemas';
import { type InvalidReason, type Protocol, protocols, version } from '@pronghorn/core/vocabulary';
import { readAccessLog } from '@pronghorn/origin';
import { launchFirefox } from '../src/firefox/launch-firefox.ts';
import { firefoxPreferences } from '../src/firefox/preferences.ts';
import type { PerformedVisit } from '../src/lease/visit.ts';
import { findFirefox } from '../src/machine/find.ts';
import { processTree } from '../src/machine/processes.ts';
import { contentOf } from '../src/machine/run.ts';
import { type Laboratory, openLaboratory } from './laboratory.ts';

const limits: Partial<Limits> = { loadTimeoutMs: 4_000, settleMaxMs: 1_500 };
const firefox = { engine: 'firefox', browser: 'firefox' } as const;

describe('visits by Firefox', { skip: missing() }, () => {
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

  for (const protocol of protocols) {
    test(`a visit over ${protocol} has every object over ${protocol}, says Firefox and says nginx, and nothing else is asked`, async () => {
      const from = Date.now() / 1_000;
      const performed = await visit(url('shop'), protocol);
      const metrics = metricsOf(performed);
      const { visit: visited, environment } = performed;
      assert.equal(metrics[`${protocol}Share`], 1);
      assert.equal(metrics.failedRequests, 0);
      assert.ok(metrics.requests >= 60);
      const said = visited.resources.map(({ url: of, protocol: over }) => `${over} ${new URL(of).pathname}`);
      const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time }) => time >= from);
      assert.deepEqual(said.sort(), logged.map((entry) => `${entry.protocol} ${entry.uri}`).sort());
      assert.equal(new Set(said.map((one) => one.split(' ')[0])).size, 1);
      if (protocol === 'h1') assert.ok(metrics.connections > 1 && metrics.connections <= 6, `${metrics.connections} connections`);
      else assert.equal(metrics.connections, 1);
      const [document] = visited.resources;
      assert.equal(document?.connectionReused, false);
      assert.match(document?.remoteAddress ?? '', /^127\.0\.0\.\d+:\d+$/);
      assert.match(environment?.browser.product ?? '', /^Firefox\/\d/);
      assert.equal(environment?.browser.preferences['privacy.reduceTimerPrecision'], false);
      const named = new RegExp(`^Mozilla/5\\.0 \\(X11; .*\\) Gecko/\\d+ Firefox/\\d+\\.0 Pronghorn/${version}$`);
      assert.match(String(environment?.browser.preferences['general.useragent.override']), named);
      for (const { userAgent } of logged) assert.match(userAgent ?? '', named);
    });
  }

  test('an extra visit over HTTP/3 has Firefox’s qlog, with the bytes that nginx sent', async (t) => {
    const from = Date.now() / 1_000;
    const performed = await visit(url('article'), 'h3', { withNetlog: true });
    metricsOf(performed);
    assert.deepEqual(performed.visit.netlog, { findings: null });
    const [qlog] = performed.files;
    assert.ok(qlog?.kind === 'qlog');
    const ends = new Map<number, number>();
    for (const { data } of qlogEvents(qlog.content))
      for (const { frame_type: type, stream_id: stream = -1, offset = 0, length = 0 } of data?.frames ?? [])
        if (type === 'stream' && stream % 4 === 0) ends.set(stream, Math.max(ends.get(stream) ?? 0, offset + length));
    const logged = (await readAccessLog(laboratory.origin.accessLog)).filter(({ time, protocol }) => time >= from && protocol === 'h3');
    const [said, sent] = [[...ends.values()], logged.map(({ bodyBytes }) => bodyBytes)].map((all) => all.reduce((a, b) => a + b, 0));
    t.diagnostic(`${ends.size} streams of ${said} bytes; nginx: ${logged.length} bodies of ${sent} bytes; log of ${qlog.content.length}`);
    assert.equal(ends.size, logged.length);
    // Beside bodies streams have frames' headers and the responses'.
    assert.ok(said !== undefined && sent !== undefined && said > sent && said < sent + 700 * logged.length);
  });

  test('what Firefox reports is in order, and what it does not report is unknown, never 0', async () => {
    const performed = await visit(url('article'), 'h2');
    const metrics = metricsOf(performed);
    const { ttfb, firstContentfulPaint, largestContentfulPaint, domContentLoaded, onLoad, loadEventEnd } = metrics;
    assert.ok(ttfb > 0 && ttfb < domContentLoaded && domContentLoaded <= onLoad && onLoad <= loadEventEnd);
    assert.ok(firstContentfulPaint !== null && firstContentfulPaint > ttfb);
    assert.ok(largestContentfulPaint !== null && largestContentfulPaint >= firstContentfulPaint);
    const { speedIndex, firstVisualChange, cumulativeLayoutShift, totalBlockingTime, linkedDownload } = metrics;
    assert.deepEqual(
      { speedIndex, firstVisualChange, cumulativeLayoutShift, totalBlockingTime, linkedDownload },
      { speedIndex: null, firstVisualChange: null, cumulativeLayoutShift: null, totalBlockingTime: null, linkedDownload: null },
    );
    // Clocks that are made coarse tick in whole milliseconds.
    const exact = [onLoad, domContentLoaded, loadEventEnd, ttfb].filter((ms) => !Number.isInteger(ms));
    assert.ok(exact.length >= 3, JSON.stringify(metrics));
  });

  test('a resource tells where its time went', async (t) => {
    let visited: PerformedVisit['visit'];
    // In one visit of 61 Firefox told no times of its document’s connection; why is not known.
    for (let tries = 0; ; tries++) {
      ({ visit: visited } = await visit(url('article'), 'h2'));
      const [document] = visited.resources;
      assert.equal(document?.type, 'Document');
      const { queueingMs, dnsMs, connectMs, tlsMs, waitMs } = document;
      if ((connectMs ?? 0) > 0 && (tlsMs ?? 0) > 0) break;
      t.diagnostic(`no times of the document’s connection: ${JSON.stringify({ queueingMs, dnsMs, connectMs, tlsMs, waitMs })}`);
      assert.ok(tries < 2, 'three Firefoxes in a row tell no times of a connection');
    }
    assert.deepEqual(new Set(visited.resources.map(({ type }) => type)).has('Image'), true);
    for (const { url: of, startMs, endMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs, transferBytes } of visited.resources) {
      assert.ok(endMs !== null && endMs >= startMs && transferBytes > 0, of);
      const phases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
      assert.ok(Math.abs(phases - (endMs - startMs)) < 1, `${of}: ${phases} of ${endMs - startMs}`);
    }
  });

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
    ['endlessDocument', 'load-timeout', /4000 ms/],
    ['endlessImage', 'load-timeout', /1 request/],
    ['silent', 'load-timeout', /4000 ms/],
    ['cutOff', 'connection-error', /NS_ERROR/],
    ['download', 'not-a-page', /download/],
    ['redirectLoop', 'connection-error', /NS_ERROR_REDIRECT_LOOP/],
    ['redirect', 'redirected', /ended on/],
    ['selfSigned', 'tls-error', /./],
    ['h1only', 'wrong-protocol', /http\/1\.1/],
    // It doesn't fall back, and where nobody answers over UDP it doesn't give up either.
    ['h2only', 'load-timeout', /4000 ms/, 'h3'],
    ['infiniteLoop', 'load-timeout', /./],
  ];
  // Most of their time is waiting.
  describe('pages that give no valid visit', { concurrency: 3 }, () => {
    for (const [name, reason, detail, protocol = 'h2'] of invalid) {
      test(`${name} over ${protocol}: ${reason}`, async () => {
        const started = performance.now();
        const { outcome } = (await visit(laboratory.origin.odd[name], protocol, { spec: { limits } })).visit;
        assert.ok(performance.now() - started < 25_000, 'it ended in its time');
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
          spec: { limits: { loadTimeoutMs: 30_000, settleMaxMs: 1_500 } },
        });
        const metrics = metricsOf(performed);
        if (name === 'manyImages') assert.ok(performed.visit.resources.length >= 2_000);
        if (name === 'empty') assert.equal(metrics.firstContentfulPaint, null);
      });
    }
  });

  test('more requests than allowed end the visit', async () => {
    const { outcome } = (await visit(laboratory.origin.odd.manyImages, 'h2', { spec: { limits: { ...limits, maxRequests: 500 } } })).visit;
    assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'page-too-big', JSON.stringify(outcome));
  });

  for (const victim of ['tab', 'browser'] as const) {
    test(`a killed ${victim} is an invalid visit, and the next one is valid`, async () => {
      const from = Date.now() / 1_000;
      const visiting = visit(laboratory.origin.odd.endlessImage, 'h2', { spec: { limits: { ...limits, loadTimeoutMs: 15_000 } } });
      await asked(laboratory, /endless-image/, from);
      const victims = firefoxesBelowUs().filter(({ type }) => type === victim);
      assert.ok(victims.length > 0);
      for (const { pid } of victims) killIfThere(pid);
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

function missing(): string | false {
  try {
    findFirefox();
    return false;
  } catch (error) {
    return (error as Error).message;
  }
}

interface QlogEvent {
  name?: string;
  data?: { frames?: { frame_type: string; stream_id?: number; offset?: number; length?: number }[] };
}

/** Of packets that came. */
const qlogEvents = (text: string): QlogEvent[] =>
  text
    .split('\n')
    .flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line.replace('\u001e', '')) as QlogEvent]))
    .filter(({ name }) => name?.endsWith(':packet_received'));

/** Processes below this one whose program is a Firefox. */
function firefoxesBelowUs(): { pid: number; type: string }[] {
  return processTree(process.pid).flatMap(({ pid }) => {
    // What its fork server starts has its arguments in one; a process that has ended has no command.
    const command = contentOf(`/proc/${pid}/cmdline`) ?? '';
    const [program = '', ...args] = command.split(/[\0 ]/).filter((word) => word !== '');
    if (!/firefox/.test(program)) return [];
    return [{ pid, type: args.includes('-contentproc') ? (args.at(-1) ?? '') : 'browser' }];
  });
}

/** Waits until the server was asked for a path after a moment. */
async function asked({ origin }: Laboratory, path: RegExp, from: number): Promise<void> {
  const until = performance.now() + 20_000;
  while (performance.now() < until) {
    if ((await readAccessLog(origin.accessLog)).some(({ uri, time }) => time >= from && path.test(uri))) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Firefox ends processes of its own that it keeps ready. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
  }
}
