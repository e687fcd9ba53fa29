// A visit ends when its page has: pages that go on after their load event, and pages that never stop. How soon: e2e/thorough/end-of-visit.test.ts.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isThorough, proves, samples, thoroughly } from '@pronghorn/core/testing';
import { deriveOutcome } from '../src/derive/outcome.ts';
import { deriveResources } from '../src/derive/resources.ts';
import { lateMs } from '../src/discovery/discover.ts';
import type { Evidence } from '../src/gather/evidence.ts';
import { endlessPages, html, openPages, type Page, type Pages } from './pages.ts';

const work = 'const work = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };';
const content = '<p style="font-size:60px;background:#2f6f73">Content of the page, at last</p>';
const show = `const show = async () => { await fetch('/late.json'); document.body.innerHTML += '${content}'; };`;
const page = (script: string) =>
  `<h1>Skeleton</h1><script>${work}${show}addEventListener('load', () => setTimeout(async () => { ${script} }));</script>`;

const slowly: Page = async (_, response) => {
  await delay(60);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
};

/** One that ends well after a page would have been quiet. */
const longMs = samples(3_000, 6_000);
const tasks = { count: samples(4, 6), ms: samples(400, 900) };

/** After the page is idle otherwise. */
const [hiddenMs, heroMs, slideMs] = [1_500, 900, 700];

let isAsked = false;
const waiting: ServerResponse[] = [];
function tellAsked(): void {
  if (!isAsked || waiting.length === 0) return;
  isAsked = false;
  for (const response of waiting.splice(0)) response.end();
}

/** Turns without end, over a page that is white otherwise. */
const spinner = `<style>#spinner { width: 40px; height: 40px; background: #a33; animation: turn .8s linear infinite } @keyframes turn { to { rotate: 1turn } }</style>
  <div id="spinner">…</div>`;
const onceLoaded = (ms: number, script: string) =>
  `<script>addEventListener('load', () => setTimeout(async () => { ${script} }, ${ms}))</script>`;

/** Chrome tells of a paint when it was presented, which a busy machine delays beyond the next frames. */
const oncePainted = (script: string) =>
  `new PerformanceObserver((list, observer) => { if (list.getEntriesByName('first-contentful-paint').length > 0) { observer.disconnect(); ${script} } }).observe({ type: 'paint', buffered: true })`;

const pages: Record<string, Page> = {
  ...endlessPages,
  '/late.json': slowly,
  '/hydration': page('setTimeout(() => { work(300); show(); }, 60)'),
  '/timer': page('setTimeout(show, 200)'),
  '/at-once': page('work(400); show()'),
  '/tasks': page(`${oncePainted(`for (let n = 0; n < ${tasks.count}; n++) setTimeout(() => work(${tasks.ms}))`)}`),
  '/tasks-without-end': page(`const on = () => { work(200); setTimeout(on); }; ${oncePainted('on()')}`),
  '/long-task': page(`setTimeout(() => { work(${longMs}); show(); }, 100)`),
  // As anti-flicker snippets do: nothing is shown until the page has chosen.
  '/hidden': `<style>.hide { opacity: 0 }</style><script>document.documentElement.className = 'hide';
    setTimeout(() => { document.documentElement.className = ''; }, ${hiddenMs})</script>${content}`,
  '/hero': `<h1>Header</h1><div id="hero"></div><script>setTimeout(() => { hero.innerHTML = '${content}'; }, ${heroMs})</script>`,
  '/hero-after-load': `<h1>Header</h1><div id="hero"></div><script>addEventListener('load', () => setTimeout(() => { hero.innerHTML = '${content}'; }, ${heroMs}))</script>`,
  '/slides': `<style>#slide { height: 600px; background: #a33 }</style><h1>Slides</h1><div id="slide"></div>
    <script>let n = 0; setInterval(() => { slide.style.background = ['#3a3', '#33a', '#a33'][n++ % 3]; }, ${slideMs})</script>`,
  '/cycle': `<style>#hero { height: 600px; animation: slides 1.6s steps(1) infinite } @keyframes slides { 0% { background: #a33 } 50% { background: #33a } }</style>
    <h1>Cycle</h1><div id="hero"></div>`,
  '/chain': page(`for (let n = 0; n < 6; n++) await fetch('/answered/' + n); document.body.innerHTML += '${content}'`),
  ...Object.fromEntries(
    Array.from({ length: 6 }, (_, n): [string, Page] => [
      `/answered/${n}`,
      async (_, response) => {
        await delay(300);
        response.end('answer');
      },
    ]),
  ),
  '/framed': `<style>body { margin: 0 }</style><iframe src="/still" style="border:0;width:100vw;height:100vh"></iframe>`,
  '/typo': `${content}<img src="http://a b/x.png"><script>fetch('https://c d/').catch(() => {})</script>`,
  '/white': '<title>White</title>',
  '/spinner': spinner + onceLoaded(2_500, `await fetch('/late.json'); document.body.innerHTML = '${content}'`),
  '/covered': spinner + onceLoaded(2_500, `document.body.innerHTML = '${content}'`),
  '/worker.js': (_, response) => void response.writeHead(200, { 'content-type': 'text/javascript' }).end(`import '/never.js'`),
  '/never.js': () => {
    isAsked = true;
    tellAsked();
  },
  /** Answered when that was requested. */
  '/asked': (_, response) => {
    waiting.push(response);
    tellAsked();
  },
  // What Chrome may not keep, it does not read for itself either.
  '/answer': (_, response) => void response.writeHead(200, { 'content-length': 43, 'cache-control': 'no-store' }).end(Buffer.alloc(43)),
  '/half-answer': (_, response) => void response.writeHead(200, { 'content-length': 43, 'cache-control': 'no-store' }).write('half'),
  '/unread': `${content}<script>fetch('/answer')</script>`,
  '/unread-half': `${content}<script>fetch('/half-answer')</script>`,
  '/worker-ended': `<h1>Worker</h1><script>const worker = new Worker('/worker.js', { type: 'module' }); fetch('/asked').then(() => worker.terminate())</script>`,
  '/advertisement': '<h1>Advertisement</h1><script src="/never.js"></script>',
  // Of another site, since localhost is one: Chrome gives it a process of its own.
  '/frame-removed': `<h1>Page</h1><script>addEventListener('load', () => {
    const frame = document.createElement('iframe');
    frame.src = 'http://localhost:' + location.port + '/advertisement';
    document.body.append(frame);
    fetch('/asked').then(() => frame.remove());
  })</script>`,
  // From one other site to the next, which takes another process.
  '/frame-moves': `<h1>Page</h1><script>addEventListener('load', () => {
    const frame = document.createElement('iframe');
    frame.src = 'http://localhost:' + location.port + '/advertisement';
    document.body.append(frame);
    fetch('/asked').then(() => { frame.src = 'http://other.localhost:' + location.port + '/still'; });
  })</script>`,
};

const lcp = ({ page }: Evidence) => page?.largestContentfulPaint ?? assert.fail('no largest contentful paint');
const asked = { protocol: 'h1', discovery: 'forced', view: 'cold', forced: [], expectStatus: 200 } as const;

async function metricsOf(evidence: Evidence) {
  const url = evidence.page?.url ?? '';
  const { outcome } = await deriveOutcome({ ...asked, url, finalUrl: url, usual: null }, evidence, 1);
  assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  return outcome.verdict === 'valid' ? outcome.metrics : assert.fail();
}

/** Far longer than any of the pages takes: what ends before has come to its end. */
const limits = { loadTimeoutMs: 120_000, settleMaxMs: 60_000 };

/** Pages of which the first ones behave as another does, and what each goes on with. */
const endless = [
  ['/still', []],
  ['/painted', ['paint']],
  ['/animated', ['paint']],
  ['/event-source', []],
  ['/open-stream', []],
] as const;

/** Pages for all tests of a suite, with a Chrome that is kept. */
function served(pages: Record<string, Page>): Pick<Pages, 'load'> & { seen(): Pages['seen'] } {
  let opened: Pages;
  const closing: (() => Promise<void>)[] = [];
  before(async () => {
    opened = await openPages({ after: (close: () => Promise<void>) => void closing.push(close) }, pages);
  });
  after(() => Promise.all(closing.map((close) => close())));
  return {
    seen: () => opened.seen,
    load: (path, different) => opened.load(path, { isolation: 'context', ...different, limits: { ...limits, ...different?.limits } }),
  };
}

const cookie = (path: string) => `document.cookie = '${path.slice(1)}=1'; `;
const onceMore =
  (path: string, move: string): Page =>
  (request, response) =>
    html(response, request.headers.cookie?.includes(path.slice(1)) ? `<h1>Here</h1>${content}` : `<script>${cookie(path)}${move}</script>`);
const moving: Record<string, Page> = {
  '/reload': onceMore('/reload', 'location.reload()'),
  '/after': onceMore('/after', `addEventListener('load', () => setTimeout(() => location.reload(), 100))`),
  '/replace': `<script>location.replace('/canonical')</script>`,
  '/canonical': `<h1>Canonical</h1>${content}`,
  '/announced': onceMore('/announced', `document.write('<meta http-equiv=refresh content="2;url=/announced">Soon')`),
  '/by-timer': onceMore('/by-timer', `document.write('One moment'); setTimeout(() => location.reload(), 1000)`),
  '/refresh': onceMore('/refresh', `document.write('<meta http-equiv=refresh content="0;url=/refresh">')`),
  '/file': (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }).end('file'),
  '/downloads': `<h1>Thanks</h1><script>addEventListener('load', () => { location = '/file'; })</script>`,
  '/restless': `<h1>Never</h1><script>addEventListener('load', () => location.replace('/restless'))</script>`,
  '/gone': `<script>location.replace('/missing')</script>`,
  '/missing': (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Gone</h1>'),
};

describe('a visit that ends when its page has, and follows it', proves('metrics', 'production-pages'), () => {
  const { load, seen } = served({ ...pages, ...moving });
  /** A busy machine may keep frames of a moving page from the visit, which then rightly says less: the first load that saw enough, else the last. */
  const loadUntil = async (isEnough: (evidence: Evidence) => Promise<boolean>, ...asked: Parameters<typeof load>): Promise<Evidence> => {
    for (let left = 5; ; left--) {
      const evidence = await load(...asked);
      if (left === 0 || (await isEnough(evidence))) return evidence;
    }
  };

  describe('its end', () => {
    test('what an application shows after load is measured, not its skeleton', async (t) => {
      for (const [path, minMs] of [
        ['/hydration', 420],
        ['/timer', 260],
        ['/at-once', 460],
      ] as const) {
        const evidence = await load(path);
        assert.equal(evidence.end.kind, 'quiet', path);
        assert.ok(lcp(evidence) > minMs, `${path}: LCP ${lcp(evidence)}`);
        const { speedIndex } = await metricsOf(evidence);
        assert.ok(speedIndex !== null && speedIndex > minMs / 2, `${path}: SpeedIndex ${speedIndex}`);
        assert.deepEqual(evidence.settled?.busy, []);
        t.diagnostic(
          `${path}: LCP ${Math.round(lcp(evidence))}, SpeedIndex ${Math.round(speedIndex)}, settled ${Math.round(evidence.settled?.ms ?? 0)}`,
        );
      }
    });

    test('all long tasks are waited for', async () => {
      const { totalBlockingTime } = await metricsOf(await load('/tasks'));
      assert.ok(totalBlockingTime !== null && totalBlockingTime > tasks.count * (tasks.ms - 100), `${totalBlockingTime}`);
    });

    test('a task that is longer than the patience of a moment is waited for', thoroughly('metrics'), async () => {
      const evidence = await load('/long-task');
      assert.equal(evidence.end.kind, 'quiet');
      assert.ok((evidence.settled?.ms ?? 0) > longMs && lcp(evidence) > longMs, JSON.stringify([evidence.settled, lcp(evidence)]));
    });

    test('the visit does not wait for endless things: repeated animations, streams, events, painting scripts', async (t) => {
      for (const [path, busy] of endless.slice(-samples(3, 5))) {
        const { end, settled } = await load(path);
        t.diagnostic(`${path}: ${JSON.stringify(settled)}`);
        assert.equal(end.kind, 'quiet', path);
        // How soon: e2e/thorough/end-of-visit.test.ts. Here half of the limit, which it must not wait for.
        assert.ok(settled !== undefined && settled.ms >= 500 && settled.ms < 30_000, `${path}: ${settled?.ms}`);
        assert.deepEqual(settled.busy, busy, path);
        const open = (settled.notAwaited ?? []).map((url) => new URL(url).pathname);
        assert.deepEqual(open, path === '/open-stream' ? ['/stream'] : [], 'what a script asked for and was not awaited has its name');
      }
    });

    test('requests that wait for each other are waited for, and an address that is none is nobody’s', async () => {
      const { largestContentfulPaint } = await metricsOf(await load('/chain'));
      assert.ok((largestContentfulPaint ?? 0) > 6 * 300, `LCP ${largestContentfulPaint}: the skeleton’s`);
      assert.equal((await metricsOf(await load('/typo'))).requests, 1);
    });

    test('a page in a frame is no white one', async () => {
      const [framed, white] = [await load('/framed'), await load('/white')];
      assert.ok((framed.settled?.ms ?? Infinity) < (white.settled?.ms ?? 0), JSON.stringify([framed.settled, white.settled]));
    });

    test('discovery sees what a page shows after a pause while a spinner turns', async () => {
      const discovery = { limits: { quietMs: 4_000, pauseFromMs: 300 } };
      const { settled } = await load('/spinner', discovery);
      assert.ok((settled?.pauseMs ?? 0) > 700 && settled?.wentOnMs !== undefined, JSON.stringify(settled));
      const lateIn = (evidence: Evidence) => lateMs(evidence, deriveResources(evidence), 300);
      const isSeen = async (evidence: Evidence) => (await lateIn(evidence)) >= 2_450;
      const covered = await loadUntil(isSeen, '/covered', discovery);
      const [coveredMs, stillMs] = [await lateIn(covered), await lateIn(await load('/still', discovery))];
      assert.ok(coveredMs >= 2_450 && stillMs < 2_450, `${coveredMs}, ${stillMs}: ${JSON.stringify(covered.settled)}`);
      const { settled: atRest } = covered;
      assert.ok(atRest);
      assert.equal(await lateIn({ ...covered, settled: { ...atRest, workMs: coveredMs + 50 } }), coveredMs, 'it is seen as work too');
    });

    test('a page that hides its content is waited for', async () => {
      const evidence = await load('/hidden');
      const { firstContentfulPaint, speedIndex } = await metricsOf(evidence);
      assert.ok((firstContentfulPaint ?? 0) >= hiddenMs && (speedIndex ?? 0) >= hiddenMs, `${firstContentfulPaint}, ${speedIndex}`);
    });

    test('what comes by a timer is seen where it is known to come, since the navigation or since load', async () => {
      const [alone, until, paused] = [
        await load('/hero'),
        await load('/hero', { limits: { untilMs: heroMs + 400 } }),
        await load('/hero-after-load', { limits: { quietMs: heroMs + 100 } }),
      ];
      assert.equal(alone.settled?.pauseMs, undefined);
      for (const evidence of [until, paused]) {
        const { speedIndex, largestContentfulPaint } = await metricsOf(evidence);
        assert.ok((largestContentfulPaint ?? 0) >= heroMs && (speedIndex ?? 0) > heroMs / 2, `${largestContentfulPaint}, ${speedIndex}`);
      }
      // It may go on after as long a pause again.
      assert.ok((until.settled?.pauseMs ?? 0) > 500, JSON.stringify(until.settled));
    });

    test('a page that moves without end has a SpeedIndex only where its motion repeats and was seen', async () => {
      const slides = await metricsOf(await load('/slides', { limits: { untilMs: 4 * slideMs } }));
      assert.equal(slides.speedIndex, null);
      const cycle = await loadUntil(async (evidence) => (await metricsOf(evidence)).speedIndex !== null, '/cycle');
      const { speedIndex, firstContentfulPaint } = await metricsOf(cycle);
      assert.ok((cycle.settled?.motion?.share ?? 0) > 0.5, JSON.stringify(cycle.settled));
      assert.equal(cycle.settled?.motion?.cycleMs, 1_600);
      // Whatever it shows at the end, it was complete once it showed.
      assert.ok(speedIndex !== null && speedIndex < (firstContentfulPaint ?? 0) + 500, `${speedIndex} after ${firstContentfulPaint}`);
    });

    test('requests of a worker or a frame of another site end with it', async () => {
      for (const path of ['/worker-ended', '/frame-removed', '/frame-moves']) {
        const { end, settled } = await load(path);
        assert.deepEqual([end.kind, settled?.busy], ['quiet', []], path);
      }
    });

    test('an answer that no script reads is not waited for, and named where a part of it is missing', async () => {
      for (const [path, notAwaited] of [
        ['/unread', []],
        ['/unread-half', ['/half-answer']],
      ] as const) {
        const { end, settled } = await load(path);
        assert.deepEqual([end.kind, settled?.busy], ['quiet', []], path);
        assert.deepEqual(
          (settled?.notAwaited ?? []).map((url) => new URL(url).pathname),
          notAwaited,
          path,
        );
      }
    });

    test('the evidence says what the limit cut off', async () => {
      const { end, settled } = await load('/tasks-without-end', { limits: { settleMaxMs: 1_000 } });
      assert.equal(end.kind, 'settle-cut');
      assert.equal(settled?.cut, true);
      // The first picture may come late.
      assert.ok(settled.busy.includes('script'), `${settled.busy}`);
    });
  });

  describe('its documents', () => {
    test('to the document it comes to rest on, with all times since the first one', async () => {
      for (const path of ['/reload', '/after', '/replace', '/refresh']) {
        const evidence = await load(path);
        assert.equal(evidence.end.kind, 'quiet', path);
        assert.equal(evidence.documents?.length, 2, path);
        const { onLoad, ttfb, largestContentfulPaint } = await metricsOf(evidence);
        // The last two: a Chrome for contexts loads a page more than once before it measures.
        const [first = 0, second = 0] = seen()
          .slice(-2)
          .map(({ atMs }) => atMs);
        assert.ok(ttfb >= second - first, `${path}: ${ttfb} after ${second - first}`);
        assert.ok(onLoad > ttfb && (largestContentfulPaint ?? 0) > ttfb, path);
      }
    });

    test('to one that the page announces, or that discovery saw it move to after a pause', async () => {
      for (const [path, quietMs] of [
        ['/announced', 500],
        ['/by-timer', 2_500],
      ] as const) {
        const evidence = await load(path, { limits: { quietMs } });
        assert.equal(evidence.documents?.length, 2, path);
        const { speedIndex, firstContentfulPaint } = await metricsOf(evidence);
        assert.ok(
          (firstContentfulPaint ?? 0) > 900 && (speedIndex ?? 0) > 900,
          `${path}: the first document’s picture is none of the page’s`,
        );
      }
      const { documents, settled } = await load('/by-timer', { limits: { quietMs: 2_000, pauseFromMs: 300 } });
      assert.ok(documents?.length === 2 && (settled?.pauseMs ?? 0) > 500, JSON.stringify(settled));
    });

    test('and stays with one that only starts a download', async () => {
      for (const isolation of isThorough ? (['context', 'process'] as const) : (['context'] as const)) {
        const evidence = await load('/downloads', { isolation });
        assert.equal(evidence.end.kind, 'quiet');
        assert.match((await metricsOf(evidence)) && (evidence.page?.url ?? ''), /downloads$/);
      }
    });

    test('until it is clear that it never comes to rest', async () => {
      assert.equal((await load('/restless')).end.kind, 'left-page');
    });

    test('and judges the document that it ends on', async () => {
      const evidence = await load('/gone');
      const { outcome } = await deriveOutcome({ ...asked, url: '/gone', finalUrl: evidence.page?.url ?? '', usual: null }, evidence, 1);
      assert.ok(outcome.verdict === 'invalid' && outcome.reason === 'http-status', JSON.stringify(outcome));
    });
  });
});
