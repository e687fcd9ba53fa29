import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsToSettle, smallestDetectable } from '../math/power.ts';
import { normalQuantile } from '../math/probability.ts';
import { randomSource } from '../math/random.ts';
import { conditionNamed } from '../network/presets.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import { detectableDifference, normalErrors, roundErrors, smallestShift } from './detectable.ts';

const native = conditionNamed('native');
assert.ok(native);
const spec: Pick<CampaignSpec, 'rounds' | 'maximumRounds' | 'adjustment' | 'protocols' | 'conditions' | 'views' | 'primaryMetric'> = {
  rounds: 20,
  maximumRounds: null,
  adjustment: 'holm',
  protocols: ['h1', 'h2', 'h3'],
  conditions: [native],
  views: ['cold'],
  primaryMetric: 'onLoad',
};
const close = (value: number | null | undefined, expected: number, tolerance: number, what: string) => {
  assert.ok(typeof value === 'number' && Math.abs(value - expected) <= tolerance, `${what}: ${value}, expected ${expected} ± ${tolerance}`);
};
/** Normal noise, as rounds of an A/A campaign would show it. */
function noise(rounds: number, stdev: number, seed: number): number[] {
  const random = randomSource(seed);
  return Array.from({ length: rounds }, () => stdev * normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, random()))));
}

test('the smallest shift is the one that a simulation of the same noise finds', () => {
  const logRatios = noise(200, 0.1, 3);
  const seen = roundErrors(logRatios);
  assert.ok(seen);
  for (const rounds of [10, 20, 50]) {
    const simulated = smallestDetectable(logRatios, { rounds, seed: 5 })?.logShift ?? 0;
    close(smallestShift(seen.errors, { rounds, level: 0.05 }), simulated, 0.07 * simulated, `${rounds} rounds`);
  }
});

test('so many rounds settle just that shift', () => {
  const errors = normalErrors(0.1);
  const shift = smallestShift(errors, { rounds: 20, level: 0.05 }) ?? 0;
  const rounds = roundsToSettle(Array.from(errors), { shift })?.total ?? 0;
  close(rounds, 20, 1, 'rounds');
});

test('more rounds, less spread and fewer comparisons show smaller differences', () => {
  const middle = (change: Partial<typeof spec>, sites = 1) =>
    detectableDifference({ ...spec, ...change }, sites, [])?.assumed[1]?.relative ?? 1;
  assert.ok(middle({ rounds: 60 }) < middle({ rounds: 20 }));
  assert.ok(middle({}) < middle({}, 10), 'ten pages are ten comparisons');
  assert.ok(middle({ maximumRounds: 60 }) < middle({ rounds: 20 }));
  assert.ok(middle({ maximumRounds: 60 }) > middle({ rounds: 60 }), 'looks before the last one spend some of the level');
  const [small, , large] = detectableDifference(spec, 1, [])?.assumed ?? [];
  assert.ok((small?.relative ?? 1) < (large?.relative ?? 0));
});

test('fewer rounds than the test can use show nothing, and the words say how many it takes', () => {
  const five = detectableDifference({ ...spec, rounds: 5 }, 1, []);
  assert.equal(five?.minRounds, 6);
  assert.deepEqual(
    five?.assumed.map(({ relative }) => relative),
    [null, null, null],
  );
  assert.match(five?.words ?? '', /^5 rounds can't name a winner, whatever they show: at least 6 are needed\.$/);
  assert.equal(detectableDifference({ ...spec, rounds: 9 }, 15, [])?.minRounds, 10);
  assert.notEqual(detectableDifference({ ...spec, rounds: 6 }, 1, [])?.assumed[0]?.relative, null);
});

test('by Benjamini and Hochberg’s correction the level is as if every tenth comparison showed something', () => {
  const by = (adjustment: typeof spec.adjustment, sites: number) => detectableDifference({ ...spec, adjustment }, sites, []);
  close(by('benjamini-hochberg', 1000)?.level, 0.005, 1e-12, 'of 1,000');
  close(by('benjamini-hochberg', 4)?.level, 0.05 / 4, 1e-12, 'of 4');
  close(by('hommel', 1000)?.level, 0.05 / 1000, 1e-12, 'by Hommel');
  assert.match(
    by('benjamini-hochberg', 1000)?.words ?? '',
    / with 80 % power, corrected for 1,000 comparisons of which one in ten shows a difference\. /,
  );
});

test('where HTTP/3 is not compared with HTTP/2 there is no such difference', () => {
  assert.equal(detectableDifference({ ...spec, protocols: ['h2', 'h2'] }, 1, []), null);
});

test('what earlier rounds showed is told beside the assumptions, and of how many cells', () => {
  const seen = [0.02, 0.05, 0.3].flatMap((stdev, seed) => roundErrors(noise(40, stdev, seed)) ?? []);
  const found = detectableDifference(spec, 4, seen);
  assert.equal(found?.seen?.cells, 3);
  assert.equal(found?.seen?.rounds, 120);
  assert.ok((found?.seen?.best ?? 1) < (found?.seen?.relative ?? 0) && (found?.seen?.relative ?? 1) < (found?.seen?.worst ?? 0));
  assert.match(
    found?.words ?? '',
    /if rounds differ as 120 earlier ones, of 3 of 4 pages, conditions and views, did: give or take a third, because so few rounds say little about how rounds differ\.$/,
  );
  const from = (rounds: number) =>
    detectableDifference(
      spec,
      1,
      [roundErrors(noise(rounds, 0.1, 2))].flatMap((one) => one ?? []),
    );
  assert.deepEqual(
    [6, 9, 10, 20, 50].map((rounds) => from(rounds)?.seen?.giveOrTake),
    [0.5, 0.5, 0.4, 0.3, 0.2],
  );
  assert.match(from(6)?.words ?? '', / if rounds differ as 6 earlier ones did: give or take a half, /);
});

test('from fewer than six rounds nobody can say how rounds differ', () => {
  assert.equal(roundErrors([0.1, 0.2, 0.1, 0.15, 0.12]), null);
  assert.throws(() => roundErrors([1, 2, 3, 4, 5, Number.NaN]), RangeError);
});

test('rounds without any difference have a smallest shift too', () => {
  const still = roundErrors([0, 0, 0, 0, 0, 0]);
  assert.ok(still);
  close(smallestShift(still.errors, { rounds: 20, level: 0.05 }), 0, 1e-6, 'shift');
});
