import { maxSorted, mean as meanOf, minSorted, quantileSorted, sampleStandardDeviation } from 'simple-statistics';
import type { CvClass, Summary } from '../schemas/results.ts';
import { assertSample } from './sample.ts';

/**
 * The numbers that a table shows of one sample, in the unit of its values. Quantiles are those of `quantile`.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function summarise(values: readonly number[]): Summary {
  assertSample('summary', values);
  const sorted = values.toSorted((a, b) => a - b);
  const mean = meanOf(sorted);
  const stdev = sorted.length > 1 ? sampleStandardDeviation(sorted) : null;
  const cv = stdev === null || mean === 0 ? null : stdev / mean;
  const [p25, p75] = [quantileSorted(sorted, 0.25), quantileSorted(sorted, 0.75)];
  return {
    n: sorted.length,
    min: minSorted(sorted),
    max: maxSorted(sorted),
    mean,
    median: quantileSorted(sorted, 0.5),
    p5: quantileSorted(sorted, 0.05),
    p10: quantileSorted(sorted, 0.1),
    p25,
    p75,
    p90: quantileSorted(sorted, 0.9),
    p95: quantileSorted(sorted, 0.95),
    p99: quantileSorted(sorted, 0.99),
    iqr: p75 - p25,
    stdev,
    cv,
    cvClass: cvClassOf(cv),
  };
}

/**
 * How consistent repeated measurements are: a coefficient of variation of at most 10 %, 15 %, 20 % or more, after Zahra &
 * Ardiansyah 2026.
 *
 * @param cv as a share, such as 0.12; its sign does not matter. Null: the sample has none, and so no class.
 */
export function cvClassOf(cv: number | null): CvClass | null {
  if (cv === null) return null;
  const size = Math.abs(cv);
  if (size <= 0.1) return 'highly-consistent';
  if (size <= 0.15) return 'consistent';
  return size <= 0.2 ? 'sufficiently-consistent' : 'inconsistent';
}

/** What a box plot draws, in the unit of the sample. */
export type Box = { whiskerLow: number; lowerQuartile: number; median: number; upperQuartile: number; whiskerHigh: number };

/** The box of a sample: from quartile to quartile with whiskers at p10 and p90, as in Trevisan et al. 2021. */
export function boxOf({ p10, p25, median, p75, p90 }: Summary): Box {
  return { whiskerLow: p10, lowerQuartile: p25, median, upperQuartile: p75, whiskerHigh: p90 };
}
