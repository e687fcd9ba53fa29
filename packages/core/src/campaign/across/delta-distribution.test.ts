import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../../math/random.ts';
import { type DeltaOfSite, deltaByProvider, deltaDistribution } from './delta-distribution.ts';

const site = (delta: number | null, given: Partial<DeltaOfSite> = {}): DeltaOfSite => ({ delta, interval: null, noise: null, ...given });

test('sites are counted by class, those without a Delta apart, and the steps rise to 1', () => {
  assert.deepEqual(deltaDistribution([0.2, -0.3, null, 0, -0.3, 0.1].map((delta) => site(delta))), {
    sites: 5,
    withoutDelta: 1,
    classes: {
      below: { sites: 2, share: 0.4, sure: 0 },
      within: { sites: 2, share: 0.4, sure: 0 },
      above: { sites: 1, share: 0.2, sure: 0 },
    },
    byNoise: null,
    steps: { values: [-0.3, 0, 0.1, 0.2], shares: [0.4, 0.6, 0.8, 1] },
    words:
      'H3-Delta beyond ±0.1: HTTP/3 lower on 2, higher on 1 of 5 sites. By their intervals it is certainly lower on 0, higher on 0, in between on 0; on 5 it remains open.',
  });
});

test('a class is sure where the interval lies in it as a whole, and noise is told beside the classes', () => {
  const found = deltaDistribution([
    site(-0.3, { interval: { low: -0.4, high: -0.11 }, noise: 0.2 }),
    site(-0.2, { interval: { low: -0.4, high: -0.09 }, noise: 0.3 }),
    site(0.05, { interval: { low: -0.1, high: 0.1 }, noise: 0.1 }),
    site(0.05, { interval: { low: 0.01, high: 0.11 } }),
    site(0.3, { interval: { low: 0.2, high: 1 }, noise: 0 }),
    site(null, { noise: 1 }),
  ]);
  const { below, within, above } = found.classes;
  assert.deepEqual(
    [below, within, above].map(({ sites, sure }) => [sites, sure]),
    [
      [2, 1],
      [2, 1],
      [1, 1],
    ],
  );
  assert.ok(Math.abs((found.byNoise ?? 0) - (5 * 0.6) / 4) < 1e-12, 'a site of which it is not known is as the others');
  assert.equal(
    found.words,
    'H3-Delta beyond ±0.1: HTTP/3 lower on 2, higher on 1 of 5 sites; noise alone gives less than one. By their intervals it is certainly lower on 1, higher on 1, in between on 1; on 2 it remains open.',
  );
  const noisy = deltaDistribution(Array.from({ length: 30 }, () => site(0.2, { noise: 0.11 })));
  assert.match(noisy.words, /higher on 30 of 30 sites; noise alone gives about 3\. /);
  assert.match(deltaDistribution([site(0.2, { noise: 0 })]).words, /of 1 site; noise alone gives none\. /);
});

test('no site with a Delta: no steps, no shares', () => {
  const none = { sites: 0, share: 0, sure: 0 };
  const empty = {
    sites: 0,
    classes: { below: none, within: none, above: none },
    steps: { values: [], shares: [] },
    byNoise: null,
    words: '',
  };
  assert.deepEqual(deltaDistribution([]), { ...empty, withoutDelta: 0 });
  assert.deepEqual(deltaDistribution([site(null), site(null)]), { ...empty, withoutDelta: 2 });
});

test('classes can be read off the steps, and their shares add up to 1', () => {
  const random = randomSource(1);
  const deltas = Array.from({ length: 999 }, () => Math.round(200 * random() - 100) / 100);
  const { classes, steps } = deltaDistribution(deltas.map((delta) => site(delta)));
  assert.equal(steps.shares[steps.values.findLastIndex((delta) => delta < -0.1)], classes.below.share);
  assert.equal(steps.shares[steps.values.findLastIndex((delta) => delta <= 0.1)], (classes.below.sites + classes.within.sites) / 999);
  assert.equal(classes.below.sites + classes.within.sites + classes.above.sites, 999);
});

test('the provider with most sites comes first, of equals by name, and unknown last', () => {
  const sites = ['Meta', 'unknown', 'Google', 'unknown', 'Akamai', 'unknown', 'Google'].map((provider, i) => ({
    provider,
    ...site(i === 2 ? null : i / 10),
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
  assert.deepEqual(byProvider[3]?.delta, deltaDistribution([0.1, 0.3, 0.5].map((delta) => site(delta))));
});

test('a Delta out of its range is refused', () => {
  assert.throws(() => deltaDistribution([site(0), site(1.5)]), { name: 'RangeError', message: /H3-Delta is 1.5/ });
});
