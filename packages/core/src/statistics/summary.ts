import { maxSorted, mean as meanOf, minSorted, sampleStandardDeviation } from 'simple-statistics';
import type { Summary } from '../schemas/results.ts';
import { quantile } from './quantile.ts';
import { assertSample } from './sample.ts';

/**
 * The numbers that a table shows of one sample, in the unit of its values.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function summarise(values: readonly number[]): Summary {
  assertSample('summary', values);
  const sorted = values.toSorted((a, b) => a - b);
  const mean = meanOf(sorted);
  const stdev = sorted.length > 1 ? sampleStandardDeviation(sorted) : null;
  return {
    n: sorted.length,
    min: minSorted(sorted),
    max: maxSorted(sorted),
    mean,
    median: quantile(sorted, 0.5),
    p75: quantile(sorted, 0.75),
    p90: quantile(sorted, 0.9),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    stdev,
    cv: stdev === null || mean === 0 ? null : stdev / mean,
  };
}
