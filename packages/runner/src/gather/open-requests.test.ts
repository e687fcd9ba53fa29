import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { CDPSession } from 'puppeteer-core';
import { endpointOf, OpenRequests } from './open-requests.ts';

/** A script's request whose answer has these headers, and the data that came of it. */
function asked(
  headers: Record<string, string>,
  data: readonly { dataLength: number; encodedDataLength: number }[],
  type = 'Fetch',
): OpenRequests {
  const session = new EventEmitter();
  const requests = new OpenRequests();
  requests.attend(session as unknown as CDPSession);
  const requestId = '1';
  session.emit('Network.requestWillBeSent', { requestId, request: { url: 'https://a.test/track' }, loaderId: 'l', type });
  session.emit('Network.responseReceived', { requestId, type, loaderId: 'l', response: { mimeType: 'text/plain', headers } });
  for (const event of data) session.emit('Network.dataReceived', { requestId, ...event });
  return requests;
}

test('a script’s answer is over with as many bytes as it promises, and one that promises none is not', (t) => {
  t.mock.method(performance, 'now', () => 1_000);
  const isAwaited = (...given: Parameters<typeof asked>) => asked(...given).loading(performance.now());
  const whole = { dataLength: 4_000, encodedDataLength: 4_009 };
  assert.equal(isAwaited({ 'content-length': '4000' }, [whole]), false);
  assert.equal(isAwaited({ 'Content-Length': '4000' }, []), true);
  // Of 20 bytes each, in frames of 9 more.
  const frames = Array.from({ length: 139 }, () => ({ dataLength: 20, encodedDataLength: 29 }));
  assert.equal(isAwaited({ 'content-length': '4000' }, frames), true, 'frames are no content');
  assert.equal(isAwaited({ 'content-length': '400', 'content-encoding': 'gzip' }, [{ dataLength: 4_000, encodedDataLength: 390 }]), true);
  assert.equal(isAwaited({ 'content-length': '400', 'content-encoding': 'gzip' }, [{ dataLength: 4_000, encodedDataLength: 400 }]), false);
  for (const length of ['-1', '', '1e2', '4, 4']) assert.equal(isAwaited({ 'content-length': length }, [whole]), true, `"${length}"`);
});

test('the end of a sound’s data is no activity, as its beginning is none', () => {
  assert.equal(asked({ 'content-length': '4000' }, [{ dataLength: 4_000, encodedDataLength: 4_000 }], 'Media').lastActivity, 0);
});

test('requests that a timer makes are no activity after the first few, those that follow each other are', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const lastActivityOf = (begins: readonly number[], lastsMs: number, path = (n: number) => `/news/${n}`, atOnce = 1) => {
    const [session, requests] = [new EventEmitter(), new OpenRequests()];
    requests.attend(session as unknown as CDPSession);
    for (const [n, at] of begins.entries()) {
      now = 1_000 + at;
      const requestIds = Array.from({ length: atOnce }, (_, one) => `${n}.${one}`);
      for (const requestId of requestIds)
        session.emit('Network.requestWillBeSent', {
          requestId,
          request: { url: `https://a.test${path(n)}` },
          loaderId: 'l',
          type: 'Fetch',
        });
      now += lastsMs;
      for (const requestId of requestIds) session.emit('Network.loadingFinished', { requestId });
    }
    return requests.lastActivity - 1_000;
  };
  const every = (ms: number, count: number) => Array.from({ length: count }, (_, n) => ms * n);
  assert.equal(lastActivityOf(every(300, 20), 20), 2 * 300 + 20, 'the fourth shows that it polls');
  assert.equal(lastActivityOf(every(300, 20), 150), 2 * 300 + 150, 'over a slow network, too');
  assert.equal(
    lastActivityOf(every(300, 20), 20, (n) => `/news/${n}`, 2),
    2 * 300 + 20,
    'two at each tick',
  );
  for (const ms of [100, 300, 1_000])
    assert.equal(lastActivityOf(every(ms, 20), ms - 20), 19 * ms + ms - 20, `each waits for the one before, ${ms} ms`);
  assert.equal(lastActivityOf([0, 300, 900, 1_200, 2_100], 20), 2_120, 'as the page works');
  assert.equal(
    lastActivityOf(every(300, 20), 20, (n) => `/${'abcdefghijklmnopqrst'[n]}`),
    19 * 300 + 20,
    'of different kinds',
  );
});

test('redirects of one request are no polls, and what is no address is asked for as any other', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  const [session, requests] = [new EventEmitter(), new OpenRequests()];
  requests.attend(session as unknown as CDPSession);
  const ask = (requestId: string, url: string, redirectResponse?: object) =>
    session.emit('Network.requestWillBeSent', { requestId, request: { url }, loaderId: 'l', type: 'Fetch', redirectResponse });
  for (let hop = 0; hop < 10; hop++, now += 200) ask('1', `https://a.test/${hop}`, hop > 0 ? {} : undefined);
  assert.deepEqual([requests.hasPolls, requests.loading(now), requests.lastActivity], [false, true, now - 200]);
  ask('2', 'http://a%20b/');
  session.emit('Network.loadingFailed', { requestId: '2' });
  assert.equal(requests.lastActivity, now);
});

test('what waits for the answer to the one before is a chain, though nobody reads that, or though it takes its time to come', (t) => {
  let now = 1_000;
  t.mock.method(performance, 'now', () => now);
  for (const bodyMs of [Number.POSITIVE_INFINITY, 400]) {
    const [session, requests] = [new EventEmitter(), new OpenRequests()];
    requests.attend(session as unknown as CDPSession);
    for (let n = 0; n < 8; n++) {
      const requestId = `${n}`;
      session.emit('Network.requestWillBeSent', { requestId, request: { url: `https://a.test/${n}` }, loaderId: 'l', type: 'Fetch' });
      now += 300;
      session.emit('Network.responseReceived', { requestId, type: 'Fetch', response: { mimeType: 'text/plain', headers: {} } });
      if (bodyMs < Number.POSITIVE_INFINITY) {
        now += bodyMs;
        session.emit('Network.loadingFinished', { requestId });
      }
      now += 2;
    }
    assert.equal(requests.hasPolls, false, `${bodyMs}`);
  }
});

interface Asked {
  path: string;
  atMs: number;
  answeredAtMs: number;
  type?: string;
  /** It is sent there first, and a while later on to its path. */
  via?: string;
}

/** Whether any of these is taken for a poll, and when the last activity was. */
function heardOf(t: TestContext, all: readonly Asked[]): { hasPolls: boolean; lastActivity: number } {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const [session, requests] = [new EventEmitter(), new OpenRequests()];
  requests.attend(session as unknown as CDPSession);
  const events = all.flatMap(({ path, atMs, answeredAtMs, type = 'Fetch', via }, n) => {
    const begins = (url: string, redirectResponse?: object) => () =>
      session.emit('Network.requestWillBeSent', {
        ...{ requestId: `${n}`, request: { url: `https://a.test${url}` }, loaderId: 'l', type, redirectResponse },
      });
    return [
      { at: atMs, happens: begins(via ?? path) },
      ...(via === undefined ? [] : [{ at: (atMs + answeredAtMs) / 2, happens: begins(path, {}) }]),
      {
        at: answeredAtMs,
        happens: () => {
          session.emit('Network.responseReceived', { requestId: `${n}`, type, response: { mimeType: 'text/plain', headers: {} } });
          session.emit('Network.loadingFinished', { requestId: `${n}` });
        },
      },
    ];
  });
  for (const { at, happens } of events.sort((a, b) => a.at - b.at)) {
    now = 1_000 + at;
    happens();
  }
  t.mock.restoreAll();
  return { hasPolls: requests.hasPolls, lastActivity: requests.lastActivity - 1_000 };
}
const times = <Value>(count: number, make: (n: number) => Value) => Array.from({ length: count }, (_, n) => make(n));

test('a chain may go by another endpoint, a redirect or a picture, and may ask for several things at once', (t) => {
  const link = (n: number, path: string, more: Partial<Asked> = {}) => ({ path, atMs: 400 * n, answeredAtMs: 400 * n + 395, ...more });
  const chains: Record<string, Asked[]> = {
    'two endpoints in turn': times(12, (n) => link(n, n % 2 === 0 ? '/list' : '/item')),
    'each is sent on to another address': times(12, (n) => link(n, `/signed/${n}`, { via: `/get/${n}` })),
    'a picture each other time': times(12, (n) => (n % 2 === 0 ? link(n, '/list') : link(n, `/${n}.png`, { type: 'Image' }))),
    'a quick and a slow one at once': times(12, (n) => n).flatMap((n) => [
      link(n, '/api'),
      { ...link(n, '/api'), answeredAtMs: 400 * n + 40 },
    ]),
  };
  for (const [name, all] of Object.entries(chains))
    assert.deepEqual(heardOf(t, all), { hasPolls: false, lastActivity: 11 * 400 + 395 }, name);
});

test('a timer is known by its intervals, or by its pauses where it waits for the answer', (t) => {
  const poll = (atMs: number, tookMs = 20) => ({ path: '/news', atMs, answeredAtMs: atMs + tookMs });
  const took = [20, 220, 90, 310, 150, 260, 40, 180, 330, 120];
  let next = 0;
  const paused = took.map((ms) => {
    const one = poll(next, ms);
    next += ms + 500;
    return one;
  });
  const polls: Record<string, Asked[]> = {
    'answers that take as long as they like': took.map((ms, n) => poll(500 * n, ms)),
    'a pause after each answer': paused,
    'a second one, that begins after the first one’s answer': times(20, (n) => [
      poll(700 * n),
      { ...poll(700 * n + 60), path: '/prices' },
    ]).flat(),
    'two at intervals of their own': [...times(30, (n) => poll(700 * n)), ...times(40, (n) => ({ ...poll(500 * n), path: '/prices' }))],
    'every second, ten per cent later or sooner': times(20, (n) => poll(1_000 * n + (n % 2) * 45)),
    'as often as 160 ms': times(20, (n) => poll(160 * n)),
    'often, 24 ms later or sooner': times(20, (n) => poll(200 * n + (n % 2) * 12)),
  };
  for (const [name, all] of Object.entries(polls)) {
    const { hasPolls, lastActivity } = heardOf(t, all);
    assert.ok(hasPolls && lastActivity < 0.5 * (all.at(-1) as Asked).atMs, `${name}: ${lastActivity}`);
  }
  const irregular = times(20, (n) => poll(1_000 * n + (n % 2) * 80));
  for (const none of [irregular, times(20, (n) => poll(140 * n))]) assert.equal(heardOf(t, none).hasPolls, false);
});

test('what is known for polls stays so, though something else is answered just before', (t) => {
  const polls = times(20, (n) => ({ path: '/news', atMs: 700 * n, answeredAtMs: 700 * n + 20 }));
  const picture = { path: '/slide.png', type: 'Image', atMs: 6_200, answeredAtMs: 6_960 };
  assert.deepEqual(heardOf(t, [...polls, picture]), { hasPolls: true, lastActivity: 6_960 });
});

test('an endpoint is a path without its times, counters and ids, however long it is', () => {
  assert.equal(endpointOf('https://a.test/v2/news/17/x?since=3'), 'https://a.test/#/news/#/x');
  assert.equal(endpointOf('http://a%20b/'), 'http://a%20b/');
  const long = `https://a.test/${'a'.repeat(1_000_000)}`;
  assert.equal(endpointOf(long), long);
});
