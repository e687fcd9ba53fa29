import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Metrics, metricNames } from '../schemas/metrics.ts';
import { ValidVisits } from './valid-visits.ts';

const metrics = (given: Partial<Metrics>): Metrics => ({
  ...(Object.fromEntries(metricNames.map((name, i) => [name, i])) as Metrics),
  ...given,
});

test('every metric of every visit is found again', () => {
  const visits = new ValidVisits();
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
  const visits = new ValidVisits();
  visits.add({ roundNumber: 1, metrics: metrics({ speedIndex: null }), receiveDrops: null });
  visits.add({ roundNumber: 2, metrics: metrics({ speedIndex: 500 }), receiveDrops: null });
  assert.deepEqual(visits.valuesOf('speedIndex'), [Number.NaN, 500]);
  assert.deepEqual(visits.sampleOf('speedIndex'), [500]);
  assert.deepEqual(new ValidVisits().sampleOf('onLoad'), []);
});
