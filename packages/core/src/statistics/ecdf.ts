import { assertSample } from './sample.ts';

/** A step function: the share of the sample that is at most `values[i]` is `shares[i]`; it stays so until the next value. */
export type Ecdf = {
  /** Distinct, ascending, in the unit of the sample. */
  values: number[];
  /** Ascending, in (0, 1]; the last is 1. */
  shares: number[];
};

/**
 * The empirical distribution function F(x) = share of values ≤ x, as steps. Ties make one higher step.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function ecdf(sample: readonly number[]): Ecdf {
  assertSample('distribution function', sample);
  const sorted = sample.toSorted((a, b) => a - b);
  const values: number[] = [];
  const shares: number[] = [];
  sorted.forEach((value, i) => {
    if (value === sorted[i + 1]) return;
    values.push(value);
    shares.push((i + 1) / sorted.length);
  });
  return { values, shares };
}

/**
 * F(x): the share of the sample that is at most x; 0 below the smallest value, 1 from the largest on.
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
