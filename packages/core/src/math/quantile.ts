import { quantileSorted } from 'simple-statistics';
import type { Interval } from './hodges-lehmann.ts';
import { assertOrdered } from './sample.ts';

/**
 * The quantile of a sample by definition 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996): linear between the order statistics around position (n − 1)p, counted from 0. It is the default
 * of R's `quantile` and of NumPy's ('linear'). simple-statistics computes it in the version pinned here and computed
 * another one before; the tests beside this file compare with R and NumPy, so that an update cannot change it unseen.
 *
 * A failed load is +∞. A quantile between a finite value and ∞ is ∞: it lies above all measured values, by an unknown amount.
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

/** The same for ascending values. */
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

/**
 * The interval of the median that needs no distribution: from the kth smallest to the kth largest value, where the number of values below the
 * median is binomial with ½ (Conover, Practical Nonparametric Statistics, 3rd ed., §3.2; David & Nagaraja, Order Statistics, §7.1). k is
 * the largest with 2 · P(B < k) ≤ 1 − confidence, so it errs on the wide side. O(n log n).
 *
 * @param confidence in (0, 1); default 0.95, for which fewer than 6 values have none.
 * Failed loads are +∞, and so is an end that lies among them.
 *
 * @returns null if there are too few values for the confidence.
 * @throws RangeError on an empty sample, on NaN, on a confidence outside (0, 1).
 */
export function medianInterval(values: readonly number[], confidence = 0.95): Interval | null {
  assertOrdered('median interval', values);
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`median interval: confidence is ${confidence}, expected a number in (0, 1)`);
  const n = values.length;
  const tail = (1 - confidence) / 2;
  let [k, below, logProbability] = [0, 0, -n * Math.LN2];
  for (;;) {
    below += Math.exp(logProbability); // P(B ≤ k)
    if (below > tail * (1 + 1e-9)) break;
    logProbability += Math.log((n - k) / (k + 1));
    k++;
  }
  if (k === 0) return null;
  const sorted = values.toSorted((a, b) => a - b || 0);
  return { low: sorted[k - 1] as number, high: sorted[n - k] as number };
}
