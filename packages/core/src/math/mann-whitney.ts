import type { EffectCategory } from '../vocabulary/verdict.ts';
import { normalCdf } from './probability.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

/** Up to this many pairs of values, as in samples of 30, the null distribution is counted: 0.5 ms, once for each pair of sizes. */
const exactUpTo = 900;
/** With ties, each pattern of ties has its own distribution, which can't be cached: up to samples of 10 that takes 0.2 ms. */
const exactWithTiesUpTo = 100;

type MannWhitneyTest = {
  /** Two-sided. */
  p: number;
  /** U of the first sample: pairs in which its value is larger; a tied pair counts ½. */
  statistic: number;
  /** (2U − m n) ÷ m n, in [−1, 1]; positive if the first sample's values are larger. */
  rankBiserial: number;
  rankBiserialCategory: EffectCategory;
  /** P(first > second) − P(first < second). For two samples it equals the rank-biserial correlation. */
  cliffsDelta: number;
  cliffsDeltaCategory: EffectCategory;
  method: 'exact' | 'normal';
};

/**
 * Mann & Whitney's U test, two-sided: does a value of one sample tend to exceed a value of the other? It treats visits as independent and
 * so ignores the rounds; if rounds have both protocols, use `signedRankTest`.
 *
 * Without ties and up to m n = 900, p is exact (Mann & Whitney, Annals of Mathematical Statistics 18, 1947), and up to m n = 100 with ties,
 * given how values are tied: of 3 and 3 that are apart the normal one is 0.047, less than the least that can be, 0.1. Else normal with tie
 * correction of the variance and continuity correction ½ (Lehmann, Nonparametrics, 1975, §1.3 and §1.4), as SciPy's
 * `mannwhitneyu(method='asymptotic')`. Rank-biserial correlation: Wendt, European Journal of Social Psychology 2 (1972). Cliff's delta:
 * Cliff, Psychological Bulletin 114 (1993). O(n log n).
 *
 * @param first and
 * @param second samples in the same unit. If all values are equal, no ordering is more extreme than another: p is 1.
 * @throws RangeError on an empty sample and on NaN; failed loads are +∞, tied with one another.
 */
export function mannWhitneyTest(first: readonly number[], second: readonly number[]): MannWhitneyTest {
  assertOrdered('Mann–Whitney test (first)', first);
  assertOrdered('Mann–Whitney test (second)', second);
  const [m, n] = [first.length, second.length];
  const { ranks, ties } = midranks([...first, ...second]);
  let rankSum = 0;
  for (let i = 0; i < m; i++) rankSum += ranks[i] as number;
  const statistic = rankSum - (m * (m + 1)) / 2;
  const smaller = Math.min(statistic, m * n - statistic);
  const exact = m * n <= (ties.length === 0 ? exactUpTo : exactWithTiesUpTo);
  const twoTails = () => {
    if (!exact) return 2 * normalTail(m, n, ties, smaller);
    return ties.length === 0 ? 2 * (mannWhitneyLowerTail(m, n)[smaller] as number) : tiedRankSumP(ranks, m, rankSum);
  };
  // A single rounding, so that an effect at a threshold is not below it.
  const effect = (2 * statistic - m * n) / (m * n);
  return {
    p: Math.min(1, twoTails()),
    statistic,
    rankBiserial: effect,
    rankBiserialCategory: rankBiserialCategory(effect),
    cliffsDelta: effect,
    cliffsDeltaCategory: cliffsDeltaCategory(effect),
    method: exact ? 'exact' : 'normal',
  };
}

function normalTail(m: number, n: number, ties: readonly number[], smaller: number): number {
  const all = m + n;
  const deviation = Math.sqrt(((m * n) / 12) * (all + 1 - tieSum(ties) / (all * (all - 1))));
  const distance = Math.max(0, (m * n) / 2 - smaller - 0.5);
  return deviation === 0 ? 1 : normalCdf(-distance / deviation);
}

/**
 * The category of a rank-biserial correlation, of either sign: below 0.1 negligible, below 0.3 small, below 0.5 medium, else
 * large. The thresholds are Cohen's for correlations, Statistical Power Analysis for the Behavioral Sciences, 2nd ed. (1988),
 * §3.2; 0.3, from which Zahra & Ardiansyah call an effect practically significant, is where medium begins.
 *
 * @throws RangeError on a number outside [−1, 1].
 */
export function rankBiserialCategory(r: number): EffectCategory {
  return categoryOf('rank-biserial correlation', r, [0.1, 0.3, 0.5]);
}

/**
 * The category of Cliff's delta, of either sign: below 0.147 negligible, below 0.33 small, below 0.474 medium, else large.
 * The thresholds are Cohen's d = 0.2, 0.5 and 0.8 turned into overlaps of normal distributions, by Romano, Kromrey, Coraggio &
 * Skowronek, "Appropriate statistics for ordinal level data", Florida Association of Institutional Research (2006).
 *
 * @throws RangeError on a number outside [−1, 1].
 */
export function cliffsDeltaCategory(delta: number): EffectCategory {
  return categoryOf('Cliff’s delta', delta, [0.147, 0.33, 0.474]);
}

function categoryOf(what: string, effect: number, [small, medium, large]: [small: number, medium: number, large: number]): EffectCategory {
  const size = Math.abs(effect);
  if (!(size <= 1)) throw new RangeError(`${what} is ${effect}, expected a number in [-1, 1]`);
  if (size < small) return 'negligible';
  if (size < medium) return 'small';
  return size < large ? 'medium' : 'large';
}

const lowerTails = new Map<string, Float64Array>();

/** P(U ≤ u) for u from 0 to the middle of the distribution, samples of m and n values. Cached. */
export function mannWhitneyLowerTail(m: number, n: number): Float64Array {
  const [fewer, more] = m < n ? [m, n] : [n, m];
  const key = `${fewer} ${more}`;
  const known = lowerTails.get(key);
  if (known) return known;
  const counts = orderingCounts(fewer, more);
  const all = binomialCoefficient(fewer + more, fewer);
  let below = 0;
  const tail = counts.map((count) => {
    below += count;
    return below / all;
  });
  lowerTails.set(key, tail);
  return tail;
}

/**
 * How many of the orderings of m and n values have each U from 0 to the middle: by Mann & Whitney's recurrence
 * (Annals of Mathematical Statistics 18, 1947), whether the largest value is one of the m or one of the n.
 */
function orderingCounts(m: number, n: number): Float64Array {
  const last = Math.floor((m * n) / 2);
  // counts[i] is for i and j values, with j growing.
  const counts = Array.from({ length: m + 1 }, () => {
    const without = new Float64Array(last + 1);
    without[0] = 1;
    return without;
  });
  for (let j = 1; j <= n; j++) {
    for (let i = 1; i <= m; i++) {
      const [fewer, same] = [counts[i - 1] as Float64Array, counts[i] as Float64Array];
      for (let u = last; u >= j; u--) same[u] = (same[u] as number) + (fewer[u - j] as number);
    }
  }
  return counts[m] as Float64Array;
}

/**
 * The share of all choices of m of these ranks whose sum is as far from the middle as this one, in either direction: the exact p with ties,
 * given the pattern of ties (Lehmann, Nonparametrics, 1975, §1.4).
 *
 * @param ranks midranks of both samples; m of them belong to the first
 */
function tiedRankSumP(ranks: ArrayLike<number>, m: number, rankSum: number): number {
  // Doubled, midranks are whole numbers.
  const doubled = Array.from(ranks, (rank) => Math.round(2 * rank));
  const largest = doubled.reduce((sum, rank) => sum + rank, 0);
  // counts[k][s]: choices of k ranks with the sum s.
  const counts = Array.from({ length: m + 1 }, () => new Float64Array(largest + 1));
  (counts[0] as Float64Array)[0] = 1;
  for (const rank of doubled)
    for (let k = m; k >= 1; k--) {
      const [fewer, same] = [counts[k - 1] as Float64Array, counts[k] as Float64Array];
      for (let sum = largest; sum >= rank; sum--) same[sum] = (same[sum] as number) + (fewer[sum - rank] as number);
    }
  const middle = m * (doubled.length + 1);
  const distance = Math.abs(Math.round(2 * rankSum) - middle);
  const asFar = (counts[m] as Float64Array).reduce((sum, count, at) => (Math.abs(at - middle) >= distance ? sum + count : sum), 0);
  return asFar / binomialCoefficient(doubled.length, m);
}

/** The smallest two-sided p that samples of m and n values without ties can have: 2 ÷ C(m + n, m). */
export const smallestMannWhitneyP = (m: number, n: number): number => Math.min(1, 2 / binomialCoefficient(m + n, Math.min(m, n)));

function binomialCoefficient(n: number, k: number): number {
  let coefficient = 1;
  for (let i = 1; i <= k; i++) coefficient = (coefficient * (n - k + i)) / i;
  return coefficient;
}
