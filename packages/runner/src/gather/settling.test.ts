import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Settled } from '@pronghorn/core/schemas';
import { type CDPSession, CDPSessionEvent } from 'puppeteer-core';
import { OpenRequests } from './open-requests.ts';
import { Settling } from './settling.ts';

/** Of a page that is gone: it asks nobody. */
const noSession = Object.assign(new EventEmitter(), { send: () => Promise.reject(new Error('gone')) }) as unknown as CDPSession;

test('a visit ends as soon as all has been quiet for long enough', async (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lastFrame = 1_010;
  let settled: Settled | undefined;
  const limits = { quietMs: 120, settleMaxMs: 5_000 };
  new Settling({ session: noSession, frameId: '' }, new OpenRequests(), () => lastFrame, limits).start((end) => {
    settled = end;
  });
  // The main thread's failure comes through a few promises.
  await new Promise((resolve) => setImmediate(resolve));
  while (settled === undefined && now < 2_000) {
    now++;
    t.mock.timers.tick(1);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(settled, { ms: 130, busy: [], cut: false });
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
  new Settling({ session, frameId: '' }, new OpenRequests(), () => 0, limits).start((end) => {
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

test('a visit that is cut off while the main thread is asked says that scripts were at work', async (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  const send = async () => (++asked > 2 ? await new Promise(() => {}) : { metrics: [{ name: 'TaskDuration', value: 0 }] });
  const session = Object.assign(new EventEmitter(), { send }) as unknown as CDPSession;
  let settled: Settled | undefined;
  new Settling({ session, frameId: '' }, new OpenRequests(), () => 0, { quietMs: 500, settleMaxMs: 160 }).start((end) => {
    settled = end;
  });
  // The question is late, because this process was kept waiting, and has just been sent when the time is over.
  for (const ms of [1, 170, 1, 1]) {
    now += ms;
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([asked, settled?.cut, settled?.busy], [3, true, ['script']]);
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
