// Correction of p-values for the number of comparisons.
import type { adjustments } from '../schemas/campaign.ts';

/** Which error is kept: Holm's keeps the chance of any false claim, Benjamini–Hochberg's the share of false ones among the claims. */
export type Adjustment = (typeof adjustments)[number];

/**
 * Adjusted p-values in the order given: a comparison is significant at a level where its adjusted p is not above it.
 *
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
