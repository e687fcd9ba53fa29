import { quantileSorted } from 'simple-statistics';
import { assertOrdered } from './sample.ts';

/**
 * The quantile of a sample by definition 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996): linear between the order statistics around position (n − 1)p, counted from 0. It is the default
 * of R's `quantile` and of NumPy's ('linear'). simple-statistics computes it in the version pinned here and computed
 * another one before; the tests beside this file compare with R and NumPy, so that an update cannot change it unseen.
 *
 * A load that failed is +∞. A quantile between a finite value and ∞ is ∞: it lies above whatever was measured, nobody knows how far.
 *
 * @param values in any order.
 * @param p in [0, 1]; 0.5 is the median.
 * @throws RangeError on an empty sample, on NaN, and on p outside [0, 1].
 */
export function quantile(values: readonly number[], p: number): number {
  assertOrdered('quantile', values);
  if (!(p >= 0 && p <= 1)) throw new RangeError(`quantile: p is ${p}, expected a number in [0, 1]`);
  return quantileOfSorted(
    values.toSorted((a, b) => a - b || 0),
    p,
  );
}

/** The same of values that ascend. */
export function quantileOfSorted(sorted: readonly number[], p: number): number {
  if (Number.isFinite(sorted[0]) && Number.isFinite(sorted.at(-1))) return quantileSorted(sorted as number[], p);
  const position = (sorted.length - 1) * p;
  const [below, above] = [sorted[Math.floor(position)] as number, sorted[Math.ceil(position)] as number];
  return below === above ? below : below + (position % 1) * (above - below);
}

/** The 0.5 quantile. Errors as in `quantile`. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
