import { assertOrdered } from './sample.ts';

/** A step function: the share of the sample that is at most `values[i]` is `shares[i]`; it stays so until the next value. */
export type Ecdf = {
  /** Distinct, ascending, in the unit of the sample. */
  values: number[];
  /** Ascending, in (0, 1]; the last is 1, or what loads that failed leave of it. */
  shares: number[];
};

/**
 * The empirical distribution function F(x) = share of values ≤ x, as steps. Ties make one higher step.
 * Loads that failed, +∞, have no step: the function does not reach 1.
 *
 * @throws RangeError on an empty sample and on NaN.
 */
export function ecdf(sample: readonly number[]): Ecdf {
  assertOrdered('distribution function', sample);
  const sorted = sample.toSorted((a, b) => a - b || 0);
  const values: number[] = [];
  const shares: number[] = [];
  sorted.forEach((value, i) => {
    if (value === sorted[i + 1] || value === Number.POSITIVE_INFINITY) return;
    values.push(value);
    shares.push((i + 1) / sorted.length);
  });
  return { values, shares };
}

/**
 * F(x): the share of the sample that is at most x; 0 below the smallest value, from the largest on 1 less the share of loads that failed.
 * @throws RangeError when x is NaN.
 */
export function shareAtMost({ values, shares }: Ecdf, x: number): number {
  if (Number.isNaN(x)) throw new RangeError('distribution function: x is NaN, expected a number');
  let [below, above] = [0, values.length];
  while (below < above) {
    const middle = (below + above) >> 1;
    if ((values[middle] as number) <= x) below = middle + 1;
    else above = middle;
  }
  return below === 0 ? 0 : (shares[below - 1] as number);
}
