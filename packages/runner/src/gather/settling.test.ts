import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Settled } from '@pronghorn/core/schemas';
import { type CDPSession, CDPSessionEvent } from 'puppeteer-core';
import { OpenRequests } from './open-requests.ts';
import { lookEveryMs, Settling, type WatchLimits } from './settling.ts';

/** Of a page that is gone: it asks nobody. */
const noSession = Object.assign(new EventEmitter(), { send: () => Promise.reject(new Error('gone')) }) as unknown as CDPSession;

test('a visit ends as soon as all has been quiet for long enough', async (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lastFrame = 1_010;
  let settled: Settled | undefined;
  const limits = { quietMs: 120, settleMaxMs: 5_000 };
  new Settling({ session: noSession, frameId: '', startedAt: 900 }, new OpenRequests(), () => lastFrame, limits).start((end) => {
    settled = end;
  });
  // The main thread's failure comes through a few promises.
  await new Promise((resolve) => setImmediate(resolve));
  while (settled === undefined && now < 2_000) {
    now++;
    t.mock.timers.tick(1);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(settled, { ms: 130, restMs: 230, workMs: 100, busy: [], cut: false });
});

/** Lets a page settle whose frames come at these times after its load; each millisecond is one. */
async function settledWith(
  t: TestContext,
  limits: WatchLimits,
  framesAtMs: readonly number[],
  {
    session = noSession,
    upToMs = 20_000,
    requests = new OpenRequests(),
    each = () => {},
  }: { session?: CDPSession; upToMs?: number; requests?: OpenRequests; each?: (ms: number) => void } = {},
): Promise<Settled> {
  const loadedAt = 1_000;
  let now = loadedAt;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let settled: Settled | undefined;
  const lastFrame = () => Math.max(0, ...framesAtMs.map((ms) => loadedAt + ms).filter((at) => at <= now));
  new Settling({ session, frameId: '', startedAt: loadedAt - 200 }, requests, lastFrame, limits).start((end) => {
    settled = end;
  });
  for (; settled === undefined && now < loadedAt + upToMs; now++) {
    each(now - loadedAt);
    t.mock.timers.tick(1);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  t.mock.timers.reset();
  t.mock.restoreAll();
  assert.ok(settled !== undefined, `it did not end within ${upToMs} ms`);
  return settled;
}

const near = (actual: number | undefined, expected: number) =>
  assert.ok(actual !== undefined && Math.abs(actual - expected) <= lookEveryMs, `${actual} is not ${expected} ± ${lookEveryMs}`);

test('a page is watched at least until it is asked to, and no longer if nothing comes', async (t) => {
  const limits = { quietMs: 500, settleMaxMs: 15_000 };
  const short = await settledWith(t, { ...limits, untilMs: 300 }, [0]);
  near(short.ms, 500);
  const long = await settledWith(t, { ...limits, untilMs: 2_200 }, [0]);
  near(long.ms, 2_000);
  near(long.restMs, 700);
  assert.deepEqual([long.cut, long.pauseMs], [false, undefined]);
});

test('nobody watches longer than the limit, and a page that is not idle then is cut off, even if it once was', async (t) => {
  const limits = { quietMs: 500, settleMaxMs: 3_000 };
  const long = await settledWith(t, { ...limits, untilMs: 60_000 }, [0]);
  near(long.ms, 3_000);
  assert.deepEqual([long.cut, long.busy], [false, []]);
  const goesOn = Array.from({ length: 20 }, (_, i) => 1_200 + 200 * i);
  for (const untilMs of [0, 2_500]) {
    const busy = await settledWith(t, { ...limits, untilMs }, [0, ...goesOn]);
    if (untilMs > 0) assert.deepEqual([Math.round(busy.ms / 100), busy.cut, busy.busy], [30, true, ['paint']]);
    else near(busy.ms, 500);
  }
});

test('a page that went on after a pause is watched for longer than such a pause, and one that always does is not awaited', async (t) => {
  const limits = { quietMs: 500, settleMaxMs: 15_000, untilMs: 1_200 };
  const hero = await settledWith(t, limits, [0, 900]);
  near(hero.pauseMs, 900);
  near(hero.ms, 900 + 1.25 * 900);
  near(hero.wentOnMs, 200 + 900);
  const slides = await settledWith(t, limits, [0, 800, 1_600, 2_400, 3_200, 4_000, 4_800]);
  assert.equal(slides.wentOnMs, undefined);
  assert.ok(slides.ms < 4_000 && !slides.cut, JSON.stringify(slides));
});

test('a carousel still paints between two slides, a page that showed two things late does not', async (t) => {
  const limits = { quietMs: 500, settleMaxMs: 15_000 };
  for (const everyMs of [620, 900, 1_200, 1_500, 2_400]) {
    const slides = Array.from({ length: 20 }, (_, n) => everyMs * n);
    const { busy } = await settledWith(t, { ...limits, untilMs: 200 + everyMs }, slides);
    assert.deepEqual(busy, ['paint'], `each ${everyMs} ms`);
  }
  assert.deepEqual((await settledWith(t, { ...limits, untilMs: 900 }, [0, 700, 1_500])).busy, []);
});

test('a pause begins with the load, however long the picture stood before', async (t) => {
  const { pauseMs } = await settledWith(t, { quietMs: 2_000, pauseFromMs: 500, settleMaxMs: 15_000 }, [-800, 1_200]);
  near(pauseMs, 1_200);
});

test('a page that asks again and again is not waited for until it asks the next time', async (t) => {
  const requests = new OpenRequests();
  const polls = (untilMs: number) => (ms: number) => {
    if (ms % 700 === 0 && ms <= untilMs) requests.lastActivity = performance.now();
  };
  const discovery = { quietMs: 2_000, pauseFromMs: 500, settleMaxMs: 10_000 };
  const forEver = await settledWith(t, discovery, [0], { requests, each: polls(Number.POSITIVE_INFINITY) });
  assert.deepEqual([forEver.cut, forEver.pauseMs], [true, undefined]);
  near((await settledWith(t, discovery, [0], { requests, each: polls(700) })).pauseMs, 700);
  // Known for polls: the first three were activity.
  requests.hasPolls = true;
  const known = await settledWith(t, discovery, [0], { requests, each: polls(700) });
  assert.deepEqual([known.pauseMs, known.wentOnMs, known.polls], [undefined, undefined, true]);
});

test('discovery learns of pauses that are shorter than it waits', async (t) => {
  const { pauseMs, wentOnMs, ms } = await settledWith(t, { quietMs: 2_000, pauseFromMs: 500, settleMaxMs: 15_000 }, [0, 700]);
  near(pauseMs, 700);
  near(wentOnMs, 200 + 700);
  near(ms, 2_700);
  assert.equal((await settledWith(t, { quietMs: 2_000, pauseFromMs: 500, settleMaxMs: 15_000 }, [0, 300])).pauseMs, undefined);
});

test('a page without content is waited for, within a bound', async (t) => {
  const asked = (paintsAfter: number, motion: object = { share: 0, cyclesMs: [] }) => {
    let asks = 0;
    const answers: Record<string, unknown> = {
      'Page.createIsolatedWorld': { executionContextId: 1 },
      'Performance.getMetrics': { metrics: [] },
    };
    const send = async (method: string) =>
      method === 'Runtime.evaluate'
        ? { result: { value: { hasPainted: ++asks > paintsAfter, onlyEndless: false, videos: 0, ...motion } } }
        : (answers[method] ?? {});
    return Object.assign(new EventEmitter(), { send }) as unknown as CDPSession;
  };
  const limits = { quietMs: 500, settleMaxMs: 15_000 };
  near((await settledWith(t, limits, [0], { session: asked(0) })).ms, 500);
  const late = await settledWith(t, limits, [0], { session: asked(8) });
  assert.ok(late.ms >= 1_000 && late.ms <= 1_600, `${late.ms}`);
  const blank = await settledWith(t, limits, [0], { session: asked(Number.POSITIVE_INFINITY) });
  near(blank.ms, 5_500);
  assert.equal(blank.cut, false);
  // It is asked again and again if it has content; what moves is watched for two cycles once.
  const moving = await settledWith(t, limits, [0], { session: asked(Number.POSITIVE_INFINITY, { share: 0.9, cyclesMs: [1_600] }) });
  near(moving.ms, 5_500 + 2 * 1_600);
});

test('a task that began while this process was kept waiting is waited for', async (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const isDone = Promise.withResolvers<void>();
  let workedMs: number | undefined;
  const send = async () => {
    // It begins to work once it has been asked.
    if (workedMs !== undefined) await isDone.promise;
    return { metrics: [{ name: 'TaskDuration', value: (workedMs ?? 0) / 1_000 }] };
  };
  const session = Object.assign(new EventEmitter(), { send }) as unknown as CDPSession;
  let settled: Settled | undefined;
  const limits = { quietMs: 500, settleMaxMs: 60_000 };
  new Settling({ session, frameId: '', startedAt: 900 }, new OpenRequests(), () => 0, limits).start((end) => {
    settled = end;
  });
  const pass = async (ms: number) => {
    now += ms;
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await pass(10);
  workedMs = 0;
  await pass(1_000);
  for (; now < 7_000; await pass(10)) assert.equal(settled, undefined, `ended ${now - 1_000} ms after the load`);
  workedMs = 5_900;
  isDone.resolve();
  for (; settled === undefined && now < 9_000; ) await pass(10);
  assert.ok(settled !== undefined && !settled.cut && settled.ms >= 6_500, JSON.stringify(settled));
});

test('the limit waits for an answer that is due, and names scripts only if none comes', async (t) => {
  // This process is kept waiting just before the limit, so that the main thread has only just been asked when the time is over.
  for (const [answers, busy] of [
    [true, ['paint']],
    [false, ['script', 'paint']],
  ] as const) {
    let now = 1_000;
    t.mock.method(performance, 'now', () => now);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let asked = 0;
    const send = async () => {
      asked++;
      if (asked > 2 && !answers) await new Promise(() => {});
      return { metrics: [{ name: 'TaskDuration', value: 0 }] };
    };
    const session = Object.assign(new EventEmitter(), { send }) as unknown as CDPSession;
    let settled: Settled | undefined;
    const page = { session, frameId: '', startedAt: 900 };
    new Settling(page, new OpenRequests(), () => now, { quietMs: 500, settleMaxMs: 160 }).start((end) => {
      settled = end;
    });
    for (const ms of [1, 170, ...Array.from({ length: 12 }, () => 10)]) {
      now += ms;
      t.mock.timers.tick(ms);
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual([settled?.cut, settled?.busy], [true, busy]);
    assert.ok((settled?.ms ?? 0) <= 160 + 70 + lookEveryMs, `${settled?.ms} ms`);
    t.mock.timers.reset();
    t.mock.restoreAll();
  }
});

test('a late answer is no work where the main thread did none', async (t) => {
  // The third: its task waited for a processor for most of the time.
  for (const [workMs, processorMs, endsMs] of [
    [0, 0, 500],
    [60, 60, 880],
    [60, 3, 500],
  ] as const) {
    let now = 1_000;
    t.mock.method(performance, 'now', () => now);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let asked = 0;
    let workedMs = 0;
    let ranMs = 0;
    const send = async () => {
      // Each answer but the first two takes 70 ms: of a machine with other work, or of a page.
      if (++asked > 2) {
        await new Promise((resolve) => setTimeout(resolve, 70));
        if (now < 1_500) {
          workedMs += workMs;
          ranMs += processorMs;
        }
      }
      const metrics = [
        { name: 'TaskDuration', value: workedMs / 1_000 },
        { name: 'ThreadTime', value: ranMs / 1_000 },
      ];
      return { metrics };
    };
    const session = Object.assign(new EventEmitter(), { send }) as unknown as CDPSession;
    let settled: Settled | undefined;
    const limits = { quietMs: 500, settleMaxMs: 5_000 };
    new Settling({ session, frameId: '', startedAt: 900 }, new OpenRequests(), () => 1_000, limits).start((end) => {
      settled = end;
    });
    for (; settled === undefined && now < 4_000; now++) {
      t.mock.timers.tick(1);
      for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    t.mock.timers.reset();
    t.mock.restoreAll();
    near(settled?.ms, endsMs);
  }
});

test('a script’s request that stays open is named: without an answer for 5 s, or silent in the middle of one', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const [requests, events] = [new OpenRequests(), new EventEmitter()];
  requests.attend(events as unknown as CDPSession);
  const asks = (requestId: string, type: string) =>
    events.emit('Network.requestWillBeSent', { requestId, loaderId: '', type, request: { url: `https://a.test/${requestId}` } });
  const answers = (requestId: string, type: string, headers: Record<string, string>) =>
    events.emit('Network.responseReceived', { requestId, type, response: { mimeType: 'text/plain', headers } });
  for (const [name, type] of [
    ['slow', 'Fetch'],
    ['stream', 'XHR'],
    ['events', 'EventSource'],
    ['done', 'Fetch'],
    ['stalled', 'Script'],
  ] as const)
    asks(name, type);
  answers('stream', 'XHR', {});
  answers('stalled', 'Script', {});
  answers('done', 'Fetch', { 'Content-Length': '9' });
  events.emit('Network.loadingFinished', { requestId: 'done' });
  now += 2_000;
  assert.deepEqual(requests.notAwaited(now), ['https://a.test/stream']);
  assert.ok(requests.loading(now));
  now += 3_000;
  assert.deepEqual(requests.notAwaited(now), ['https://a.test/slow', 'https://a.test/stream']);
  assert.ok(requests.loading(now), 'a script has an end, however long it stalls');
  events.emit('Network.loadingFinished', { requestId: 'stalled' });
  assert.ok(!requests.loading(now));
});

test('requests of a worker or frame that ended are no longer awaited', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const [requests, page, worker] = [new OpenRequests(), new EventEmitter(), new EventEmitter()];
  for (const session of [page, worker]) requests.attend(session as unknown as CDPSession);
  const asks = (session: EventEmitter, requestId: string) =>
    session.emit('Network.requestWillBeSent', { requestId, loaderId: '', type: 'Script', request: { url: `https://a.test/${requestId}` } });
  asks(page, 'of the page');
  asks(worker, 'of the worker');
  page.emit('Network.loadingFinished', { requestId: 'of the page' });
  assert.ok(requests.loading(now));
  now += 500;
  page.emit(CDPSessionEvent.SessionDetached, worker);
  assert.ok(!requests.loading(now));
  assert.equal(requests.lastActivity, 1_500, 'its end is one of what the page loads with');
});

test('a document that still loads is awaited while its frame moves to another process, and ends with a frame that is removed', () => {
  for (const [reason, isOver] of [
    ['swap', false],
    ['remove', true],
  ] as const) {
    const [requests, page, frame] = [new OpenRequests(), new EventEmitter(), new EventEmitter()];
    for (const session of [page, frame]) requests.attend(session as unknown as CDPSession);
    const document = { requestId: '1', loaderId: '1', frameId: 'advertisement', type: 'Document' };
    frame.emit('Network.requestWillBeSent', { ...document, request: { url: 'https://a.test/' } });
    page.emit('Page.frameDetached', { frameId: 'advertisement', reason });
    page.emit(CDPSessionEvent.SessionDetached, frame);
    assert.equal(requests.loading(performance.now()), !isOver, reason);
  }
});

test('requests of a frame’s last document end with it, but not for a download or an answer without a document', () => {
  const shown = { status: 200, mimeType: 'text/html', headers: {} };
  for (const [response, isOver] of [
    [shown, true],
    [{ ...shown, status: 204 }, false],
    [{ ...shown, mimeType: 'application/zip' }, false],
    [{ ...shown, headers: { 'Content-Disposition': 'attachment; filename=a.html' } }, false],
  ] as const) {
    const [requests, page, frame] = [new OpenRequests(), new EventEmitter(), new EventEmitter()];
    for (const session of [page, frame]) requests.attend(session as unknown as CDPSession);
    const asks = (session: EventEmitter, requestId: string, loaderId: string, frameId: string, type = 'Script') =>
      session.emit('Network.requestWillBeSent', { requestId, loaderId, frameId, type, request: { url: `https://a.test/${requestId}` } });
    asks(frame, 'of the last document', 'first', 'advertisement');
    asks(page, 'of another frame', 'only', 'other');
    page.emit('Network.loadingFinished', { requestId: 'of another frame' });
    asks(page, 'second', 'second', 'advertisement', 'Document');
    page.emit('Network.responseReceived', { requestId: 'second', type: 'Document', response });
    page.emit('Network.loadingFinished', { requestId: 'second' });
    assert.equal(requests.loading(performance.now()), !isOver, JSON.stringify(response));
  }
});
