import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mannWhitneyTest, smallestMannWhitneyP } from '../../math/mann-whitney.ts';
import { factorialPower, minReplications, replicationsFor } from './scenarios.ts';

test('the smallest p is the one that Mann & Whitney’s test gives to samples that don’t overlap', () => {
  for (const n of [1, 2, 3, 5, 8]) {
    const low = Array.from({ length: n }, (_, i) => i);
    const { p } = mannWhitneyTest(
      low,
      low.map((value) => value + 100),
    );
    assert.ok(Math.abs(p - smallestMannWhitneyP(n, n)) < 1e-12, `${n}: ${p}`);
  }
  assert.equal(smallestMannWhitneyP(3, 3), 0.1);
});

test('the least replications are the first with which a scenario can pass Holm', () => {
  assert.equal(minReplications(1), 4); // 2 ÷ 70
  assert.equal(minReplications(24), 7); // 48 ÷ 3,432, and 48 ÷ 924 is above 0.05
  assert.equal(minReplications(12), 6);
});

test('a published design of three replications is told to show nothing, with the replications that would', () => {
  const power = factorialPower(3, 24);
  assert.deepEqual([power.canShow, power.smallestP, power.smallestAdjustedP, power.least], [false, 0.1, 1, 7]);
  assert.match(
    power.words,
    /^3 replications can’t show a difference in any scenario: .* is 0\.1 and 1 after Holm’s correction for 24 scenarios\. At least 7/,
  );
  assert.equal(factorialPower(7, 24).canShow, true);
  assert.doesNotMatch(factorialPower(3, 1).words, /Holm/);
});

test('replications for a large effect find it about four times in five', () => {
  // Normal samples whose rank-biserial correlation is 0.5: a shift of √2 × the 75th percentile.
  const n = replicationsFor(0.5, 1);
  assert.ok(n >= 20 && n <= 22, `${n}`); // 2 × 7.849 ÷ 0.75 = 20.9
});
