import { cliffsDeltaCategory, type EffectCategory, rankBiserialCategory } from './effect-category.ts';
import { mannWhitneyLowerTail, tiedRankSumP } from './mann-whitney-distribution.ts';
import { normalCdf } from './probability.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

/** Up to so many pairs of values, as in samples of 30, the null distribution is counted: 0.5 ms, once for each pair of sizes. */
const exactUpTo = 900;
/** With ties there is a distribution for each way of being tied, which nobody counted before: up to samples of 10 that is 0.2 ms. */
const exactWithTiesUpTo = 100;

export type MannWhitneyTest = {
  /** Two-sided. */
  p: number;
  /** U of the first sample: pairs in which its value is the larger one; a tied pair counts ½. */
  statistic: number;
  /** (2U − m n) ÷ m n, in [−1, 1]; positive where the first sample's values are the larger ones. */
  rankBiserial: number;
  rankBiserialCategory: EffectCategory;
  /** P(first > second) − P(first < second). For two samples that is the same number as the rank-biserial correlation. */
  cliffsDelta: number;
  cliffsDeltaCategory: EffectCategory;
  method: 'exact' | 'normal';
};

/**
 * Mann & Whitney's U test, two-sided: does a value of one sample tend to exceed a value of the other? It takes visits as
 * independent and so ignores the rounds; where rounds have both protocols, `signedRankTest` is the one to use.
 *
 * Without ties and up to m n = 900, p is exact (Mann & Whitney, Annals of Mathematical Statistics 18, 1947), and up to m n = 100 with ties, given how
 * values are tied: of 3 and 3 that are apart the normal one is 0.047, less than the least that can be, 0.1. Else normal with tie correction of the variance and continuity correction ½ (Lehmann, Nonparametrics, 1975, §1.3 and §1.4), as SciPy's
 * `mannwhitneyu(method='asymptotic')`. Rank-biserial correlation: Wendt, European Journal of Social Psychology 2 (1972). Cliff's
 * delta: Cliff, Psychological Bulletin 114 (1993). O(n log n).
 *
 * @param first and
 * @param second samples in the same unit. Where all values are equal, no ordering is more extreme than another: p is 1.
 * @throws RangeError on an empty sample and on NaN; loads that failed are +∞, tied with one another.
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
  // One rounding, so that an effect at a threshold is not below it.
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
