// Correction of p-values for the number of comparisons.
import type { adjustments } from '../schemas/campaign.ts';
import { closedSimes } from './closed-simes.ts';

/**
 * Which error is kept, and on what grounds: Hommel's and Holm's keep the chance of any false claim, Hommel's for independent p-values and those that
 * depend positively, Holm's for all; Benjamini–Hochberg's keeps the share of false ones among the claims on average, for the same.
 */
export type Adjustment = (typeof adjustments)[number];

/**
 * Adjusted p-values in the order given: a comparison is significant at a level where its adjusted p is not above it.
 *
 * Hommel, "A stagewise rejective multiple test procedure based on a modified Bonferroni test", Biometrika 75 (1988): see `closedSimes`.
 * Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979): holds under any
 * dependence. Benjamini & Hochberg, "Controlling the False Discovery Rate", JRSS B 57 (1995): holds for independent
 * comparisons and those that depend positively. The same as R's `p.adjust`; O(n log n).
 *
 * @param ps of all comparisons that are looked at together; none give none.
 * @throws RangeError on a p outside [0, 1].
 */
export function adjustPValues(ps: readonly number[], adjustment: Adjustment = 'holm'): number[] {
  const bad = ps.findIndex((p) => !(p >= 0 && p <= 1));
  if (bad !== -1) throw new RangeError(`adjusted p-values: value ${bad} of ${ps.length} is ${ps[bad]}, expected a number in [0, 1]`);
  if (adjustment === 'hommel') return closedSimes(ps).adjusted;
  const ascending = ps.map((p, place) => ({ p, place })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(ps.length);
  if (adjustment === 'holm') {
    let largest = 0;
    for (const [i, { p, place }] of ascending.entries()) {
      largest = Math.max(largest, (ps.length - i) * p);
      adjusted[place] = Math.min(1, largest);
    }
    return adjusted;
  }
  let smallest = 1;
  for (const [i, { p, place }] of [...ascending.entries()].reverse()) {
    smallest = Math.min(smallest, (ps.length / (i + 1)) * p);
    adjusted[place] = smallest;
  }
  return adjusted;
}
