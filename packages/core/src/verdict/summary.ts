import { mean as meanOf, sampleStandardDeviation } from 'simple-statistics';
import { quantileOfSorted } from '../math/quantile.ts';
import { assertOrdered, assertSample } from '../math/sample.ts';
import type { CvClass, Summary } from '../schemas/results.ts';
import { counted, durationWords } from '../text/numbers.ts';
import { atLeastAll, failed } from './counted-visits.ts';

/** The summary of a sample without failures. */
type Measured = Record<Exclude<keyof Summary, 'stdev' | 'cv' | 'cvClass' | 'censored'>, number> & Pick<Summary, 'stdev' | 'cv' | 'cvClass'>;

/**
 * The numbers of a table for one sample, in the unit of its values. Quantiles are those of `quantile`.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function summarise(values: readonly number[]): Measured {
  assertSample('summary', values);
  const { censored: _, ...summary } = summariseLoads(values, null);
  return summary as Measured;
}

/**
 * The same for loads, some of which may have failed. A quantile among these is null, and `censored` says so. Such a sample has neither mean
 * nor spread: both depend on unknown times.
 *
 * @param values +∞ for a failed load.
 * @param atLeastMs the limit of their time; the largest value of a metric that continues after the load may be above.
 * @throws RangeError on an empty sample and on NaN.
 */
export function summariseLoads(values: readonly number[], atLeastMs: number | null): Summary {
  assertOrdered('summary', values);
  const sorted = values.toSorted((a, b) => a - b || 0);
  const failures = sorted.length - finiteOf(sorted).length;
  const mean = failures > 0 ? null : meanOf(sorted);
  const stdev = sorted.length > 1 && failures === 0 ? sampleStandardDeviation(sorted) : null;
  const cv = stdev === null || mean === null || mean === 0 ? null : stdev / mean;
  const at = (p: number) => knownOrNull(quantileOfSorted(sorted, p));
  const least = atLeastMs === null || failures === 0 ? null : atLeastAll(atLeastMs, sorted);
  const [p25, p75] = [at(0.25), at(0.75)];
  return {
    n: sorted.length,
    min: knownOrNull(sorted[0] as number),
    max: knownOrNull(sorted.at(-1) as number),
    mean,
    median: at(0.5),
    p5: at(0.05),
    p10: at(0.1),
    p25,
    p75,
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    iqr: p25 === null || p75 === null ? null : p75 - p25,
    stdev,
    cv,
    cvClass: cvClassOf(cv),
    censored: failures === 0 ? null : { count: failures, atLeastMs: least, words: censoredWords(failures, sorted.length, least) },
  };
}

/** JSON has no ∞. */
export const knownOrNull = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Without failed loads. */
export const finiteOf = (values: readonly number[]): number[] => values.filter((value) => value !== failed);

function censoredWords(failures: number, all: number, atLeastMs: number | null): string {
  const atLeast = atLeastMs === null ? 'longer than all others' : `at least ${durationWords(atLeastMs)}`;
  return `${failures} of ${counted(all, 'visit')} failed and would have taken ${atLeast}: values among them are unknown, and there is no mean.`;
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

type Quantile = number | null;
/** A box plot, in the unit of the sample; null for values among failed loads. */
export type Box<Q extends Quantile = number> = Record<'whiskerLow' | 'lowerQuartile' | 'median' | 'upperQuartile' | 'whiskerHigh', Q>;

/** The box of a sample: from quartile to quartile with whiskers at p10 and p90, as in Trevisan et al. 2021. */
export function boxOf<Q extends Quantile>({ p10, p25, median, p75, p90 }: Record<'p10' | 'p25' | 'median' | 'p75' | 'p90', Q>): Box<Q> {
  return { whiskerLow: p10, lowerQuartile: p25, median, upperQuartile: p75, whiskerHigh: p90 };
}
