import { median } from '../math/quantile.ts';
import type { SiteClass } from '../schemas/across.ts';
import { siteClassLimit } from '../vocabulary/verdict.ts';

/**
 * H3-Delta: (median h3 − median h2) ÷ max(median h3, median h2), after Trevisan et al. 2021. In [−1, 1]; negative when
 * HTTP/3's median is lower, which for a time means faster.
 *
 * @param h3 and
 * @param h2 samples of one metric, not negative, in the same unit.
 * @returns null if undefined: a sample is empty, both medians are 0, or half of a protocol's loads failed.
 * @throws RangeError on a value that is negative: metrics have none, and the result would leave [−1, 1].
 */
export function h3Delta(h3: readonly number[], h2: readonly number[]): number | null {
  assertNotNegative('h3', h3);
  assertNotNegative('h2', h2);
  if (h3.length === 0 || h2.length === 0) return null;
  return deltaOfMedians(median(h3), median(h2));
}

/** The same for two known medians, neither negative; also null if one is ∞, because at least half of its loads failed. */
export function deltaOfMedians(medianH3: number, medianH2: number): number | null {
  const larger = Math.max(medianH3, medianH2);
  return larger === 0 || larger === Number.POSITIVE_INFINITY ? null : (medianH3 - medianH2) / larger;
}

/** +∞ is a failed load. @throws RangeError on a value that is negative or NaN. */
export function assertNotNegative(name: string, values: readonly number[]): void {
  const bad = values.find((value) => !(value >= 0));
  if (bad !== undefined) throw new RangeError(`H3-Delta: a value of ${name} is ${bad}, expected a number, not negative`);
}

/**
 * The class of a site: its H3-Delta below −0.1, from −0.1 to 0.1, or above 0.1 (Trevisan et al. 2021, of whose classes only the
 * limits are taken; that a Delta of exactly ±0.1 is `within` is ours). A class describes and proves nothing: noise alone
 * carries sites out of `within`.
 *
 * @param delta in [−1, 1].
 * @throws RangeError on a number outside.
 */
export function siteClass(delta: number): SiteClass {
  if (!(delta >= -1 && delta <= 1)) throw new RangeError(`site class: H3-Delta is ${delta}, expected a number in [-1, 1]`);
  if (delta < -siteClassLimit) return 'below';
  return delta > siteClassLimit ? 'above' : 'within';
}

/** Whether the whole interval of H3-Delta lies in the class; false without an interval. */
export const liesWithin = (interval: { low: number; high: number } | null, name: SiteClass): boolean =>
  interval !== null && siteClass(interval.low) === name && siteClass(interval.high) === name;
