import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VisitRun } from '@pronghorn/core/schemas';
import { percentileAt, percentileAxis, percentileText, placeOfPercentile, ratesOf } from './runs.ts';

const second = (at: number, succeeded: number, failed: number) => ({ at, succeeded, failed, bytesReceived: succeeded * 100, bytesSent: 0 });
const run = (given: Partial<VisitRun>) => ({ errors: {}, succeeded: 0, wallSeconds: 1, seconds: [], ...given }) as VisitRun;

test('each second has what was done in it, and the rest its rate', () => {
  const rates = ratesOf(
    run({ wallSeconds: 2.5, succeeded: 250, errors: { timeout: 3, 'not-sent': 40 }, seconds: [second(1, 100, 0), second(2, 180, 2)] }),
    25_000,
  );
  assert.deepEqual(rates, [
    { from: 0, to: 1, succeeded: 100, failed: 0, bytes: 10_000 },
    { from: 1, to: 2, succeeded: 80, failed: 2, bytes: 8_000 },
    { from: 2, to: 2.5, succeeded: 140, failed: 2, bytes: 14_000 },
  ]);
});

test('a run within a second has one rate; a short rest has none', () => {
  assert.deepEqual(ratesOf(run({ wallSeconds: 0.05, succeeded: 100 }), null), [
    { from: 0, to: 0.05, succeeded: 2_000, failed: 0, bytes: null },
  ]);
  const rates = ratesOf(run({ wallSeconds: 1.1, succeeded: 101, seconds: [second(1, 100, 0)] }), 10_100);
  assert.deepEqual(
    rates.map(({ to }) => to),
    [1],
  );
  assert.deepEqual(ratesOf(run({ wallSeconds: 0 }), 0), []);
});

test('each nine takes as much of the axis, and the slowest request is on it', () => {
  for (const [percentile, place] of [
    [0, 0],
    [90, 1],
    [99, 2],
    [99.9, 3],
  ] as const) {
    assert.ok(Math.abs(placeOfPercentile(percentile, 1e9) - place) < 1e-9);
    assert.ok(Math.abs(percentileAt(place) - percentile) < 1e-9);
  }
  const { range } = percentileAxis(100);
  assert.equal(placeOfPercentile(100, 100), range[1]);
  assert.ok(range[1] > placeOfPercentile(99, 100));
});

test('a percentile is written with the digits that tell it from 100', () => {
  assert.deepEqual([0, 50, 94.86, 99, 99.9, 99.9523, 99.99].map(percentileText), [
    '0 %',
    '50 %',
    '94.9 %',
    '99 %',
    '99.9 %',
    '99.952 %',
    '99.99 %',
  ]);
});
