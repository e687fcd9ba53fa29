import type { Adjustment } from '../vocabulary/choices.ts';
import { adjustPValues } from './adjust.ts';
import { chiSquaredSurvival, normalCdf } from './probability.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

type KruskalWallisTest = {
  /** H, corrected for ties. */
  statistic: number;
  /** Groups − 1. */
  df: number;
  p: number;
  /** Values in all groups. */
  n: number;
  /** ε² = H ÷ (n − 1), in [0, 1]: the share of the ranks' variance that lies between groups. */
  epsilonSquared: number;
  /** η² from H = (H − k + 1) ÷ (n − k): the same with chance taken off, so it can be below 0; null where every group has one value. */
  etaSquared: number | null;
};

/**
 * Kruskal & Wallis's test: do the groups (conditions, protocols, sites) come from one distribution? "Use of Ranks in
 * One-Criterion Variance Analysis", JASA 47 (1952), with its correction for ties and the chi-squared approximation of p, which is
 * rough where groups have fewer than 5 values. Effect sizes: Tomczak & Tomczak, "The need to report effect size estimates
 * revisited", Trends in Sport Sciences 21 (2014). O(n log n).
 *
 * @param groups two or more samples in the same unit. Where all values are equal H is 0 and p is 1.
 * @throws RangeError on fewer than two groups, on an empty one and on a value that is not finite.
 */
export function kruskalWallisTest(groups: readonly (readonly number[])[]): KruskalWallisTest {
  const { meanRanks, tieCorrection, n } = rankGroups('Kruskal–Wallis test', groups);
  const between = groups.reduce((sum, group, i) => sum + group.length * ((meanRanks[i] as number) - (n + 1) / 2) ** 2, 0);
  const statistic = tieCorrection === 0 ? 0 : (12 / (n * (n + 1))) * (between / tieCorrection);
  const df = groups.length - 1;
  return {
    statistic,
    df,
    p: chiSquaredSurvival(statistic, df),
    n,
    epsilonSquared: statistic / (n - 1),
    etaSquared: n === groups.length ? null : (statistic - df) / (n - groups.length),
  };
}

type RankedGroups = {
  /** Of each group among all values. */
  meanRanks: number[];
  /** 1 − Σ(t³ − t) ÷ (n³ − n): 1 without ties, 0 where all values are equal. */
  tieCorrection: number;
  /** Values in all groups. */
  n: number;
};

/**
 * Several groups, ranked together.
 * @throws RangeError on fewer than two groups, on an empty one and on NaN; the message begins with `what`.
 */
function rankGroups(what: string, groups: readonly (readonly number[])[]): RankedGroups {
  if (groups.length < 2) throw new RangeError(`${what} of ${groups.length} groups, expected at least 2`);
  for (const [i, group] of groups.entries()) assertOrdered(`${what} (group ${i})`, group);
  const { ranks, ties } = midranks(groups.flat());
  let start = 0;
  const meanRanks = groups.map((group) => {
    const own = ranks.subarray(start, start + group.length);
    start += group.length;
    return own.reduce((sum, rank) => sum + rank, 0) / group.length;
  });
  const n = ranks.length;
  return { meanRanks, tieCorrection: 1 - tieSum(ties) / (n ** 3 - n), n };
}

type DunnComparison = {
  /** Places of the two groups in the list given, the earlier one first. */
  groups: [number, number];
  /** Positive where the first group has the higher mean rank. */
  z: number;
  /** Two-sided, of this pair alone. */
  p: number;
  /** Corrected for the number of pairs. */
  adjustedP: number;
};

/**
 * Dunn's test of all pairs of groups after a Kruskal–Wallis test: which ones differ? "Multiple Comparisons Using Rank Sums",
 * Technometrics 6 (1964), on the ranks among all groups, with the correction for ties of its equation 3. R's package dunn.test
 * reports one-sided p-values unless asked with `altp`; these are two-sided.
 *
 * @param groups k ≥ 2 samples in the same unit, which give k(k − 1) ÷ 2 comparisons. Where all values are equal z is 0 and p is 1.
 * @throws RangeError on fewer than two groups, on an empty one and on a value that is not finite.
 */
export function dunnTest(groups: readonly (readonly number[])[], adjustment: Adjustment = 'holm'): DunnComparison[] {
  const { meanRanks, tieCorrection, n } = rankGroups('Dunn’s test', groups);
  const variance = ((n * (n + 1)) / 12) * tieCorrection;
  const compared = groups.flatMap((first, i) =>
    groups.slice(i + 1).map((second, later) => {
      const j = i + 1 + later;
      const deviation = Math.sqrt(variance * (1 / first.length + 1 / second.length));
      const z = deviation === 0 ? 0 : ((meanRanks[i] as number) - (meanRanks[j] as number)) / deviation;
      return { groups: [i, j] as [number, number], z, p: Math.min(1, 2 * normalCdf(-Math.abs(z))) };
    }),
  );
  const adjusted = adjustPValues(
    compared.map(({ p }) => p),
    adjustment,
  );
  return compared.map((comparison, i) => ({ ...comparison, adjustedP: adjusted[i] as number }));
}
