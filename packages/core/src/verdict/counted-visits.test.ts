import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Metrics } from '../schemas/metrics.ts';
import { metricNames } from '../vocabulary/metric.ts';
import { CountedVisits } from './counted-visits.ts';

const metrics = (given: Partial<Metrics>): Metrics => ({
  ...(Object.fromEntries(metricNames.map((name, i) => [name, i])) as Metrics),
  ...given,
});

test('every metric of every visit is found again', () => {
  const visits = new CountedVisits();
  visits.add({ roundNumber: 3, metrics: metrics({ onLoad: 100.5 }), receiveDrops: null });
  visits.add({ roundNumber: 1, metrics: metrics({ onLoad: 0, speedIndex: null }), receiveDrops: 7 });
  assert.equal(visits.count, 2);
  assert.deepEqual(visits.rounds, [3, 1]);
  assert.deepEqual(visits.receiveDrops, [null, 7]);
  assert.deepEqual(visits.valuesOf('onLoad'), [100.5, 0]);
  for (const [i, name] of metricNames.entries())
    if (name !== 'onLoad' && name !== 'speedIndex') assert.deepEqual(visits.valuesOf(name), [i, i]);
});

test('what a page lacks is no number in its place and is left out of the sample', () => {
  const visits = new CountedVisits();
  visits.add({ roundNumber: 1, metrics: metrics({ speedIndex: null }), receiveDrops: null });
  visits.add({ roundNumber: 2, metrics: metrics({ speedIndex: 500 }), receiveDrops: null });
  assert.deepEqual(visits.valuesOf('speedIndex'), [Number.NaN, 500]);
  assert.deepEqual(visits.sampleOf('speedIndex'), [500]);
  assert.deepEqual(new CountedVisits().sampleOf('onLoad'), []);
});

test('a load that failed is above every other in what is a time, and has no value of what is none', () => {
  const visits = new CountedVisits();
  visits.add({ roundNumber: 1, metrics: metrics({ onLoad: 100 }), receiveDrops: 3 });
  visits.addFailure({ roundNumber: 2 });
  assert.deepEqual([visits.count, visits.valid, visits.failed], [2, 1, 1]);
  assert.deepEqual(visits.valuesOf('onLoad'), [100, Number.POSITIVE_INFINITY]);
  assert.deepEqual(visits.sampleOf('requests').length, 1);
  assert.deepEqual(visits.receiveDrops, [3, null]);
});

test('of a metric that the page lacks whenever it loads, failures say nothing', () => {
  const visits = new CountedVisits();
  visits.add({ roundNumber: 1, metrics: metrics({ speedIndex: null }), receiveDrops: null });
  visits.addFailure({ roundNumber: 2 });
  assert.deepEqual(visits.sampleOf('speedIndex'), []);
  const down = new CountedVisits();
  down.addFailure({ roundNumber: 1 });
  assert.deepEqual(down.sampleOf('speedIndex'), [Number.POSITIVE_INFINITY]);
});

test('of visits that failed by several limits, the shortest is what all of them took at least', () => {
  const visits = new CountedVisits();
  visits.addFailure({ roundNumber: 1 });
  assert.equal(visits.minLimitMs, null);
  for (const [round, loadTimeoutMs] of [90_000, 60_000, 120_000].entries()) visits.addFailure({ roundNumber: round + 2, loadTimeoutMs });
  assert.equal(visits.minLimitMs, 60_000);
});
