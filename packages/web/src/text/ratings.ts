// What is good and what is poor, by people who measure real visitors: only a hint for a laboratory.
import type { MetricName } from '@pronghorn/core/schemas';
import { quantity } from './format.ts';
import { metricNames } from './vocabulary.ts';

export type Rating = 'good' | 'needs improvement' | 'poor';
/** The limits of https://web.dev/articles/vitals and, of SpeedIndex and Total Blocking Time, of Lighthouse: good up to the first, poor beyond the second. */
const limits: Readonly<Partial<Record<MetricName, readonly [good: number, poor: number]>>> = {
  ttfb: [800, 1800],
  firstContentfulPaint: [1800, 3000],
  largestContentfulPaint: [2500, 4000],
  speedIndex: [3400, 5800],
  totalBlockingTime: [200, 600],
  cumulativeLayoutShift: [0.1, 0.25],
};

/** Null: nobody set limits for it. */
export function ratingOf(metric: MetricName, value: number): Rating | null {
  const [good, poor] = limits[metric] ?? [null, null];
  if (good === null) return null;
  return value <= good ? 'good' : value <= poor ? 'needs improvement' : 'poor';
}

/** Null: nobody set limits for it. */
export function limitWords(metric: MetricName): string | null {
  const [good, poor] = limits[metric] ?? [null, null];
  if (good === null) return null;
  const { unit } = metricNames[metric];
  return `Good up to ${quantity(good, unit)}, poor beyond ${quantity(poor, unit)} (web.dev, Lighthouse)`;
}
