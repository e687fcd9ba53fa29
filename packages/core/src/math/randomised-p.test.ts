import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scipy, within } from '../../fixtures/statistics/oracles.ts';
import { uniformityTest } from './kolmogorov-smirnov.ts';
import { randomSource } from './random.ts';
import { randomisedSignedRankP, signedRankTest } from './signed-rank.ts';

/** Every way to give the differences signs. */
const signings = (differences: readonly number[]) =>
  Array.from({ length: 2 ** differences.length }, (_, pattern) => differences.map((value, bit) => (pattern & (1 << bit) ? -value : value)));

test('it reaches from the share of sign patterns that are further to p', () => {
  for (const differences of [[1], [1, 2, 3], [1, -1, 2, 0, 2], [0, 0, 0], [0.5, 0.5, -0.5, 3, 0, -9, 1.25], [1, -1], [1, 2, -3]]) {
    const { p, rankBiserial } = signedRankTest(differences);
    const further = signings(differences).filter((signed) => Math.abs(signedRankTest(signed).rankBiserial) > Math.abs(rankBiserial) + 1e-9);
    const share = further.length / 2 ** differences.length;
    assert.ok(
      within(
        randomisedSignedRankP(differences, () => 0),
        share,
        1e-12,
      ),
      `${differences}`,
    );
    assert.ok(
      within(
        randomisedSignedRankP(differences, () => 1),
        p,
        1e-12,
      ),
      `${differences}`,
    );
  }
});

test('over all sign patterns it is uniform, where p is not', () => {
  const differences = [1, 2, 2, 3, 4, 5, 0, 7];
  const all = signings(differences);
  for (const level of [0.01, 0.05, 0.2, 0.5, 0.9]) {
    // The chance of a randomised p ≤ level, given its ends.
    const chances = all.map((signed) => {
      const [least, most] = [randomisedSignedRankP(signed, () => 0), randomisedSignedRankP(signed, () => 1)];
      return Math.min(1, Math.max(0, (level - least) / (most - least)));
    });
    const chance = chances.reduce((sum, one) => sum + one, 0) / all.length;
    assert.ok(within(chance, level, 1e-12), `${level}: ${chance}`);
  }
});

test('without a difference the randomised ps pass the test of uniformity, which the ps of six rounds fail', () => {
  const random = randomSource(13);
  const samples = Array.from({ length: 1000 }, () => Array.from({ length: 10 }, () => random() - 0.5));
  assert.ok(uniformityTest(samples.map((sample) => randomisedSignedRankP(sample, random))).p > 0.05);
  const six = samples.map((sample) => sample.slice(0, 6));
  assert.ok(uniformityTest(six.map((sample) => randomisedSignedRankP(sample, random))).p > 0.05);
  assert.ok(uniformityTest(six.map((sample) => signedRankTest(sample).p)).p < 0.001);
});

test('it lies in [0, p], and is p where the test is not exact', () => {
  const random = randomSource(14);
  for (const { differences } of scipy.signedRank) {
    const { p, method } = signedRankTest(differences);
    const randomised = randomisedSignedRankP(differences, random);
    assert.ok(randomised >= 0 && randomised <= p);
    if (method === 'normal') assert.equal(randomised, p);
  }
  assert.throws(() => randomisedSignedRankP([], random), RangeError);
});
