import { chiSquaredSurvival } from './probability.ts';
import { rankGroups } from './rank-groups.ts';

export type KruskalWallisTest = {
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
