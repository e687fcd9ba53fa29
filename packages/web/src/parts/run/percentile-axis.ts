// Percentiles as HdrHistogram draws them: each half of what is left takes as much room as the one before. Pure.
import type { CurveAxis } from '../../charts/curve-configuration.ts';

/** Where a percentile stands: 0 at 0 %, 1 at 90 %, 2 at 99 %. The slowest of `count` requests stands half of one request before 100 %. */
export const placeOfPercentile = (percentile: number, count: number): number =>
  Math.min(Math.log10(2 * Math.max(1, count)), -Math.log10(Math.max(Number.MIN_VALUE, 1 - percentile / 100)));

export const percentileAt = (place: number): number => 100 * (1 - 10 ** -place);

const marked = [0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999];

/** 50, 99.9, and between them with as many digits as tell it from 100. */
export function percentileText(percentile: number): string {
  const digits = Math.max(0, Math.ceil(-Math.log10(Math.max(1e-9, 100 - percentile)) + 1));
  return `${Number(percentile.toFixed(Math.min(6, digits)))} %`;
}

/** @param count of the requests of the longest run. */
export const percentileAxis = (count: number): CurveAxis => ({
  title: 'requests',
  range: [0, Math.log10(2 * Math.max(1, count))],
  text: (place) => percentileText(percentileAt(place)),
  ticks: marked.map((percentile) => placeOfPercentile(percentile, Number.POSITIVE_INFINITY)),
});
