import type { Interval } from './hodges-lehmann.ts';
import { assertOrdered } from './sample.ts';

/**
 * The interval of the median that needs no distribution: from the kth smallest to the kth largest value, where the number of values below the
 * median is binomial with ½ (Conover, Practical Nonparametric Statistics, 3rd ed., §3.2; David & Nagaraja, Order Statistics, §7.1). k is
 * the largest with 2 · P(B < k) ≤ 1 − confidence, so it errs on the wide side. O(n log n).
 *
 * @param confidence in (0, 1); default 0.95, for which fewer than 6 values have none.
 * Loads that failed are +∞, and so the end is where it lies among them.
 *
 * @returns null where too few values can reach the confidence.
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
