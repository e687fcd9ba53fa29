// Correction of p-values for the number of comparisons.
import type { Adjustment } from '../vocabulary/choices.ts';

/**
 * Adjusted p-values in the given order: a comparison is significant at a level if its adjusted p is not above it.
 *
 * Hommel, "A stagewise rejective multiple test procedure based on a modified Bonferroni test", Biometrika 75 (1988): see `closedSimes`.
 * Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979): holds under any
 * dependence. Benjamini & Hochberg, "Controlling the False Discovery Rate", JRSS B 57 (1995): holds for independent
 * comparisons and those that depend positively. The same as R's `p.adjust`; O(n log n).
 *
 * @param ps of all comparisons that are judged together; may be empty.
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

interface ClosedSimes {
  /** Hommel's adjusted p-values, in the given order. */
  adjusted: number[];
  /** The largest number of comparisons without a difference that the p-values allow at the level. */
  mostNull: (level: number) => number;
  /**
   * A lower bound for how many of the comparisons at these indexes truly differ; right with 1 − level for all choices at once, also for
   * those made after a look at the p-values. Goeman, Meijer, Krebs & Solari, "Simultaneous control of all false discovery proportions in
   * large-scale multiple hypothesis testing", Biometrika 106 (2019), equation 9.
   */
  leastDifferent: (places: readonly number[], level: number) => number;
}

/**
 * Hommel's procedure: a comparison differs if every set of comparisons that contains it is rejected by Simes' test, which rejects a set of
 * m if its i-th smallest p is at most i · level ÷ m for some i. The probability of any false claim is at most the level if Simes' test
 * holds for the comparisons without a difference: for independent p-values and those that depend positively (Sarkar, Annals of Statistics
 * 26, 1998). It never names less than Holm's.
 *
 * With h the size of the largest set of the largest p-values that is not rejected, exactly those are named whose p · h is at most the level
 * (Hommel, Biometrika 75, 1988; Meijer, Krebs & Goeman, "Hommel's procedure in linear time", Biometrical Journal 61, 2019).
 *
 * @param ps in [0, 1]; may be empty. O(n log n).
 */
export function closedSimes(ps: readonly number[]): ClosedSimes {
  const ascending = Float64Array.from(ps).sort();
  const bounds = nullBounds(ascending);
  const mostNull = (level: number) => firstWhere(bounds.length - 1, (k) => (bounds[k] as number) <= level);
  return {
    adjusted: ps.map((p) => {
      // The least level at which at most k are null and k · p is within it, over all k.
      const k = firstWhere(bounds.length - 1, (many) => many * p >= (bounds[many] as number));
      return Math.min(1, k * p, k === 0 ? 1 : Math.max(p, bounds[k - 1] as number));
    }),
    mostNull,
    leastDifferent: (places, level) => {
      const h = mostNull(level);
      const chosen = places.map((place) => ps[place] as number).sort((a, b) => a - b);
      let most = 0;
      let within = 0;
      for (let u = 1; u <= chosen.length; u++) {
        while (within < chosen.length && h * (chosen[within] as number) <= u * level) within++;
        most = Math.max(most, 1 - u + within);
      }
      return most;
    },
  };
}

/**
 * The least level at which at most k comparisons can be null, for each k from 0 to n: the largest p of Simes' tests of the more than k
 * largest p-values.
 *
 * That of the j largest is j times the least slope of a line from (n − j, 0) to a point (i, iᵗʰ smallest p) right of it: a tangent to the lower
 * hull of these points, which is kept as they are added from the right.
 */
function nullBounds(ascending: Float64Array): Float64Array {
  const n = ascending.length;
  const bounds = new Float64Array(n + 1);
  const simes = new Float64Array(n + 1);
  // From the right to the left; its last point is the leftmost.
  const hull: number[] = [];
  const p = (x: number) => ascending[x] as number;
  const slope = (from: number, to: number) => (p(to) - p(from)) / (to - from);
  for (let x = n - 1; x >= 0; x--) {
    while (hull.length > 1 && slope(x, hull.at(-1) as number) >= slope(hull.at(-1) as number, hull.at(-2) as number)) hull.pop();
    hull.push(x);
    const fromBase = (vertex: number) => p(vertex) / (vertex - x + 1);
    // Along the hull the slope from the base falls, and then it rises.
    const least = firstWhere(hull.length - 1, (left) => {
      const [here, next] = [hull[hull.length - 1 - left] as number, hull[hull.length - 2 - left] as number];
      return fromBase(next) >= fromBase(here);
    });
    simes[n - x] = (n - x) * fromBase(hull[hull.length - 1 - least] as number);
  }
  for (let k = n - 1; k >= 0; k--) bounds[k] = Math.max(bounds[k + 1] as number, simes[k + 1] as number);
  return bounds;
}

/** The first index below `end` from which on it holds; `end` if it never does. */
function firstWhere(end: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
