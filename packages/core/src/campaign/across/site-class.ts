import type { SiteClass } from '../../schemas/across.ts';

/** Beyond it, to either side, Trevisan et al. count a site as faster or slower over HTTP/3. */
export const siteClassLimit = 0.1;

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

/** Whether all of an interval of H3-Delta does; null: there is none. */
export const liesWithin = (interval: { low: number; high: number } | null, name: SiteClass): boolean =>
  interval !== null && siteClass(interval.low) === name && siteClass(interval.high) === name;
