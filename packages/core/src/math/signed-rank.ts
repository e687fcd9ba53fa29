import { normalCdf, normalQuantile } from './probability.ts';
import type { RandomSource } from './random.ts';
import { midranks } from './ranks.ts';
import { assertOrdered } from './sample.ts';

/** Up to this many differences, including zeros, the null distribution is counted: 0.5 ms at 100 with ties. */
const exactUpTo = 100;

export type SignedRankTest = {
  /** Two-sided. */
  p: number;
  /** W+: the sum of the ranks of the positive differences. */
  statistic: number;
  /** Differences that are not zero. */
  n: number;
  zeros: number;
  /** (W+ − W−) ÷ (W+ + W−), in [−1, 1]; positive if positive differences prevail; 0 if all are zero. */
  rankBiserial: number;
  method: 'exact' | 'normal';
};

/**
 * Wilcoxon's signed-rank test, two-sided: are the differences symmetric about 0?
 *
 * Ties share midranks. Zeros are ranked with the others and then left out (Pratt, "Remarks on Zeros and Ties in the Wilcoxon
 * Signed Rank Procedures", JASA 54, 1959), because Wilcoxon's own way of leaving them out before ranking can lose a positive
 * result when every difference grows, and because W+ then stays the number of positive Walsh averages, on which the
 * Hodges–Lehmann interval rests: without ties and zeros the test is significant exactly where that interval leaves out 0. SciPy:
 * `zero_method='pratt'`; R's `wilcox.test` drops zeros first.
 *
 * Up to 100 differences p is exact, with ties and zeros too: the share of the 2ⁿ sign patterns of the ranks at hand whose W+
 * is as far from its mean (all that Fisher's randomisation within rounds assumes). Beyond, normal with the variance of these
 * ranks, Σr²/4, which has the corrections for ties and zeros in it, and with continuity correction ½. With n differences p
 * is never below 2 ÷ 2ⁿ: fewer than 6 cannot reach 0.05. The effect size is Kerby's, "The Simple Difference Formula",
 * Comprehensive Psychology 3 (2014), on the ranks that count.
 *
 * A round in which only one side failed is ±∞: the largest difference of all, tied with the others of its kind, with its sign. That is the
 * test of worst ranks (Lachin, "Worst-Rank Score Analysis with Informatively Missing Observations", Controlled Clinical Trials 20, 1999),
 * as exact as without failures: given the ranks, both signs are equally likely. A round in which both failed is a zero.
 *
 * @param differences one for each round, in any unit, also ±∞; values equal up to a relative 1e-9 are tied, because arithmetic made them.
 *   If all are zero nothing speaks against symmetry: p is 1.
 * @throws RangeError on an empty sample and on NaN.
 */
export function signedRankTest(differences: readonly number[]): SignedRankTest {
  assertOrdered('signed-rank test', differences);
  const { ranks } = midranks(
    differences.map((difference) => Math.abs(difference)),
    1e-9,
  );
  const nonzero = differences.includes(0) ? ranks.filter((_, i) => differences[i] !== 0) : ranks;
  const total = sum(nonzero);
  let statistic = 0;
  for (const [i, difference] of differences.entries()) if (difference > 0) statistic += ranks[i] as number;
  const smaller = Math.min(statistic, total - statistic);
  const exact = differences.length <= exactUpTo;
  return {
    p: Math.min(1, 2 * (exact ? exactTail(nonzero, smaller) : normalTail(nonzero, total / 2 - smaller))),
    statistic,
    n: nonzero.length,
    zeros: differences.length - nonzero.length,
    rankBiserial: total === 0 ? 0 : (2 * statistic - total) / total,
    method: exact ? 'exact' : 'normal',
  };
}

/**
 * The depth of a confidence interval of the pseudomedian in the sorted Walsh averages: the largest k for which the
 * interval from the kth smallest to the kth largest, k counted from 1, has a confidence of at least 1 − alpha, which is
 * 1 − 2 P(W+ ≤ k − 1) (Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., §3.3). By the exact null
 * distribution without ties and zeros up to n = 100, which is on the safe side if there are any, except for rare ones (with ranks 2, 2, 2,
 * 4, … 8 sign patterns have W+ ≤ 4, without ties 7); otherwise by the normal one with continuity correction, within 2 of the exact depth
 * down to alpha = 0.05 and up to 1 % less deep below.
 *
 * @param n differences, zeros among them: at least 1.
 * @param alpha in (0, 1); 0.05 for an interval of 95 %.
 * @returns 0 if no interval has that confidence: n is too small (n = 5 at 0.05: the widest one has 93.75 %).
 * @throws RangeError on other n and alpha.
 */
export function signedRankCriticalDepth(n: number, alpha: number): number {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`signed-rank depth: n is ${n}, expected a positive integer`);
  if (!(alpha > 0 && alpha < 1)) throw new RangeError(`signed-rank depth: alpha is ${alpha}, expected a number in (0, 1)`);
  if (n <= exactUpTo) {
    const tail = untiedLowerTail(n);
    const beyond = tail.findIndex((probability) => 2 * probability > alpha);
    return beyond === -1 ? tail.length : beyond;
  }
  const mean = (n * (n + 1)) / 4;
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
  return Math.max(0, Math.floor(mean + 0.5 + deviation * normalQuantile(alpha / 2)));
}

/** P(W+ ≤ w), given the ranks. */
function exactTail(ranks: Float64Array, w: number): number {
  const untied = ranks.toSorted().every((rank, i) => rank === i + 1);
  if (untied && ranks.length > 0) return untiedLowerTail(ranks.length)[w] as number;
  const doubled = ranks.map((rank) => 2 * rank);
  return sum(signPatternCounts(doubled, 2 * w)) / 2 ** ranks.length;
}

/** The same if W+ lies `below` its mean. */
function normalTail(ranks: Float64Array, below: number): number {
  const deviation = Math.sqrt(ranks.reduce((squares, rank) => squares + rank ** 2, 0) / 4);
  return deviation === 0 ? 1 : normalCdf(-Math.max(0, below - 0.5) / deviation);
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/**
 * How many of the 2ⁿ sign patterns give each value of W+ from 0 to `last`, for integer ranks in any order: dynamic programming over the
 * ranks, at most n × last additions. Counts beyond 2⁵³ are rounded, to a relative 1e-14 at n = 100.
 */
function signPatternCounts(ranks: Float64Array, last: number): Float64Array {
  const counts = new Float64Array(last + 1);
  counts[0] = 1;
  let reached = 0;
  // Starts at the smallest rank, so that sums stay small for long.
  for (const rank of ranks.toSorted()) {
    reached = Math.min(reached + rank, last);
    for (let w = reached; w >= rank; w--) counts[w] = (counts[w] as number) + (counts[w - rank] as number);
  }
  return counts;
}

const lowerTails = new Map<number, Float64Array>();

/** P(W+ ≤ w) for w from 0 to the middle of the distribution, n differences without ties and zeros. Cached. */
export function untiedLowerTail(n: number): Float64Array {
  const known = lowerTails.get(n);
  if (known) return known;
  const ranks = Float64Array.from({ length: n }, (_, i) => i + 1);
  const tail = signPatternCounts(ranks, Math.floor((n * (n + 1)) / 4));
  for (let w = 1; w < tail.length; w++) tail[w] = (tail[w] as number) + (tail[w - 1] as number);
  const scaled = tail.map((count) => count / 2 ** n);
  lowerTails.set(n, scaled);
  return scaled;
}

/**
 * The randomised p-value of the exact signed-rank test: uniform on [0, 1] under the null, where p itself takes few values on few rounds and
 * lies above a uniform one. Drawn uniformly from P(further from the mean than observed) to P(at least as far) = p (Geyer & Meeden, "Fuzzy
 * and Randomized Confidence Intervals and P-Values", Statistical Science 20, 2005). For testing many p-values for uniformity; never for
 * deciding one comparison, because chance would decide it.
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
