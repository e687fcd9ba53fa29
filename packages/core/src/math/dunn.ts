import { type Adjustment, adjustPValues } from './adjust.ts';
import { normalCdf } from './probability.ts';
import { rankGroups } from './rank-groups.ts';

export type DunnComparison = {
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
