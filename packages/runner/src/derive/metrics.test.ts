import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cumulativeLayoutShift, linkedDownload, totalBlockingTime } from './outcome.ts';
import { resource } from './resource.fixture.ts';
import { majorVersion, traffic } from './traffic.ts';

test('layout shifts add up within a session window, and the largest window counts', () => {
  assert.equal(cumulativeLayoutShift([]), 0);
  // 0.1 + 0.2 in one window; a gap of 1 s starts the next.
  const shifts = [
    { startTime: 100, value: 0.1 },
    { startTime: 900, value: 0.2 },
    { startTime: 1_900, value: 0.25 },
  ];
  assert.ok(Math.abs((cumulativeLayoutShift(shifts) ?? 0) - 0.3) < 1e-12);
  assert.equal(cumulativeLayoutShift(null), null, 'a browser without layout shifts has no number, not 0');
});

test('a session window ends after five seconds even without a gap', () => {
  const every900ms = Array.from({ length: 12 }, (_, i) => ({ startTime: i * 900, value: 1 }));
  // 0, 900 … 4500 are six shifts; 5400 begins the second window, which has six too.
  assert.equal(cumulativeLayoutShift(every900ms), 6);
});

test('blocking time is what long tasks take beyond 50 ms after first contentful paint', () => {
  const tasks = [
    { startTime: 0, duration: 90 },
    { startTime: 200, duration: 120 },
    { startTime: 400, duration: 51 },
  ];
  assert.equal(totalBlockingTime(tasks, 100), 70 + 1);
  // A task that began before the paint counts only with its part after it.
  assert.equal(totalBlockingTime([{ startTime: 50, duration: 200 }], 100), 100);
  assert.equal(totalBlockingTime([{ startTime: 0, duration: 3_000 }], null), null, 'no paint, no start to count from');
  assert.equal(totalBlockingTime(null, 100), null, 'no tasks told, no number');
});

test('linked download ends with the last asset that no script requested', () => {
  const resources = [
    resource({ endMs: 100 }),
    resource({ endMs: 250 }),
    resource({ endMs: 900, linked: false }),
    resource({ endMs: 700, failure: 'net::ERR_FAILED' }),
    resource({ endMs: null }),
  ];
  assert.equal(linkedDownload(resources), 250);
  assert.equal(linkedDownload([]), 0);
});

test('traffic counts what came over connections and leaves caches out', () => {
  const got = traffic([
    resource({ protocol: 'h3', connectionId: 1, transferBytes: 600, host: 'a' }),
    resource({ protocol: 'h3', connectionId: 1, transferBytes: 200, host: 'a' }),
    resource({ protocol: 'h2', connectionId: 2, transferBytes: 100, host: 'b', endMs: null }),
    resource({ protocol: 'http/1.1', connectionId: 3, transferBytes: 100, host: 'c', remoteAddress: '[2001:db8::1]:443' }),
    resource({ protocol: 'h3', connectionId: null, transferBytes: 0, cache: 'disk' }),
    resource({ protocol: null, connectionId: null, status: null, transferBytes: 0, failure: 'net::ERR_CONNECTION_REFUSED' }),
    resource({ protocol: null, connectionId: null, status: null, transferBytes: 0, blocked: 'mixed-content' }),
  ]);
  assert.deepEqual(got, {
    requests: 5,
    transferBytes: 1_000,
    finishedBytes: 900,
    connections: 3,
    hosts: 3,
    failedRequests: 1,
    blockedRequests: 1,
    h1Share: 0.25,
    h2Share: 0.25,
    h3Share: 0.5,
    h1ByteShare: 0.1,
    h2ByteShare: 0.1,
    h3ByteShare: 0.8,
    largestConnectionShare: 0.5,
    ipv6Share: 0.25,
  });
});

test('a page of nothing has shares of zero, not NaN', () => {
  for (const value of Object.values(traffic([]))) assert.equal(value, 0);
});

test('protocol versions are read from ALPN identifiers and drafts', () => {
  const versions = ['http/1.0', 'http/1.1', 'h2', 'h3', 'h3-29', 'data', 'h30', null].map(majorVersion);
  assert.deepEqual(versions, [1, 1, 2, 3, 3, undefined, undefined, undefined]);
});
