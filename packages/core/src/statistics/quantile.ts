import { quantileSorted } from 'simple-statistics';
import { assertSample } from './sample.ts';

/**
 * The quantile of a sample by definition 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996): linear between the order statistics around position (n − 1)p, counted from 0. It is the default
 * of R's `quantile` and of NumPy's ('linear'). simple-statistics computes it in the version pinned here and computed
 * another one before; the tests beside this file compare with R and NumPy, so that an update cannot change it unseen.
 *
 * @param values in any order.
 * @param p in [0, 1]; 0.5 is the median.
 * @throws RangeError on an empty sample, on a value that is not finite, and on p outside [0, 1].
 */
export function quantile(values: readonly number[], p: number): number {
  assertSample('quantile', values);
  if (!(p >= 0 && p <= 1)) throw new RangeError(`quantile: p is ${p}, expected a number in [0, 1]`);
  return quantileSorted(
    values.toSorted((a, b) => a - b),
    p,
  );
}

/** The 0.5 quantile. Errors as in `quantile`. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
