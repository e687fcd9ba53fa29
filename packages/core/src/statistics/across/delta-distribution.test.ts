import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../../random.ts';
import { deltaByProvider, deltaDistribution } from './delta-distribution.ts';

test('sites are counted by class, those without a Delta apart, and the steps rise to 1', () => {
  assert.deepEqual(deltaDistribution([0.2, -0.3, null, 0, -0.3, 0.1]), {
    sites: 5,
    withoutDelta: 1,
    classes: { below: { sites: 2, share: 0.4 }, within: { sites: 2, share: 0.4 }, above: { sites: 1, share: 0.2 } },
    steps: { values: [-0.3, 0, 0.1, 0.2], shares: [0.4, 0.6, 0.8, 1] },
  });
});

test('no site with a Delta: no steps, no shares', () => {
  const none = { sites: 0, share: 0 };
  const empty = { sites: 0, classes: { below: none, within: none, above: none }, steps: { values: [], shares: [] } };
  assert.deepEqual(deltaDistribution([]), { ...empty, withoutDelta: 0 });
  assert.deepEqual(deltaDistribution([null, null]), { ...empty, withoutDelta: 2 });
});

test('classes can be read off the steps, and their shares add up to 1', () => {
  const random = randomSource(1);
  const deltas = Array.from({ length: 999 }, () => Math.round(200 * random() - 100) / 100);
  const { classes, steps } = deltaDistribution(deltas);
  assert.equal(steps.shares[steps.values.findLastIndex((delta) => delta < -0.1)], classes.below.share);
  assert.equal(steps.shares[steps.values.findLastIndex((delta) => delta <= 0.1)], (classes.below.sites + classes.within.sites) / 999);
  assert.equal(classes.below.sites + classes.within.sites + classes.above.sites, 999);
});

test('the provider with most sites comes first, of equals by name, and unknown last', () => {
  const sites = ['Meta', 'unknown', 'Google', 'unknown', 'Akamai', 'unknown', 'Google'].map((provider, i) => ({
    provider,
    delta: i === 2 ? null : i / 10,
  }));
  const byProvider = deltaByProvider(sites);
  assert.deepEqual(
    byProvider.map(({ provider, delta }) => [provider, delta.sites, delta.withoutDelta]),
    [
      ['Google', 1, 1],
      ['Akamai', 1, 0],
      ['Meta', 1, 0],
      ['unknown', 3, 0],
    ],
  );
  assert.deepEqual(byProvider[3]?.delta, deltaDistribution([0.1, 0.3, 0.5]));
});

test('a Delta out of its range is refused', () => {
  assert.throws(() => deltaDistribution([0, 1.5]), { name: 'RangeError', message: /H3-Delta is 1.5/ });
});
