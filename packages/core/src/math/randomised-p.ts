import type { RandomSource } from './random.ts';
import { midranks } from './ranks.ts';
import { signedRankTest } from './signed-rank.ts';
import { signPatternCounts } from './signed-rank-distribution.ts';

/**
 * The randomised p-value of the exact signed-rank test: uniform on [0, 1] under the null, where p itself takes few values on few
 * rounds and lies above a uniform one. Drawn uniformly from P(further from the mean than seen) to P(at least as far) = p (Geyer & Meeden,
 * "Fuzzy and Randomized Confidence Intervals and P-Values", Statistical Science 20, 2005). To ask of many p-values whether they are
 * uniform; never to decide one comparison, since chance would decide it.
 *
 * @param differences as for `signedRankTest`; beyond 100, where that test is not exact, its p is returned: it takes many values there.
 * @throws RangeError on an empty sample and on NaN.
 */
export function randomisedSignedRankP(differences: readonly number[], random: RandomSource): number {
  const { p, statistic, method } = signedRankTest(differences);
  if (method !== 'exact') return p;
  const { ranks } = midranks(
    differences.map((difference) => Math.abs(difference)),
    1e-9,
  );
  const doubled = ranks.filter((_, i) => differences[i] !== 0).map((rank) => 2 * rank);
  const total = doubled.reduce((sum, rank) => sum + rank, 0);
  const seen = Math.min(2 * statistic, total - 2 * statistic);
  const counts = signPatternCounts(doubled, seen);
  const further = (2 * counts.slice(0, -1).reduce((sum, count) => sum + count, 0)) / 2 ** doubled.length;
  return further + random() * (p - further);
}
