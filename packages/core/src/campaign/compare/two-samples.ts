// Two samples that are not paired, as campaigns give them: what the one lies above the other by, and whether that can be told.

import { hodgesLehmannShift } from '../../math/hodges-lehmann.ts';
import { mannWhitneyTest } from '../../math/mann-whitney.ts';
import type { ProtocolChange } from '../../schemas/campaign-comparison.ts';
import { endsOf, estimatedValue } from '../../text/numbers.ts';
import { asShareOf, estimateOf } from '../../verdict/comparison.ts';

type RankTest = NonNullable<ProtocolChange['mannWhitney']>;
export type Estimate = NonNullable<ProtocolChange['shift']>;

/** Without correction for others: adjustedP is p until somebody corrects it. Null where a sample is empty. */
export function rankTest(values: readonly number[], baseline: readonly number[]): RankTest | null {
  if (values.length === 0 || baseline.length === 0) return null;
  const { p, rankBiserial, rankBiserialCategory: category, method } = mannWhitneyTest(values, baseline);
  return { p, adjustedP: p, rankBiserial, category, method };
}

/** How far the values lie above the baseline, in their unit, with the interval of `rankTest`. */
export function differenceOf(values: readonly number[], baseline: readonly number[], confidence: number): Estimate | null {
  if (values.length === 0 || baseline.length === 0) return null;
  const { estimate, interval } = hodgesLehmannShift(values, baseline, confidence);
  return Number.isNaN(estimate) ? null : estimateOf(estimate, interval);
}

/** The same as a share of the baseline; null where a value is 0 and has no logarithm. */
export function shareOf(values: readonly number[], baseline: readonly number[], confidence: number): Estimate | null {
  if ([...values, ...baseline].some((value) => value <= 0)) return null;
  return asShare(differenceOf(values.map(Math.log), baseline.map(Math.log), confidence));
}

/** Of a difference of logarithms. */
export function asShare(found: Estimate | null): Estimate | null {
  if (found === null) return null;
  const ends = endsOf(found);
  return estimateOf(asShareOf(estimatedValue(found)), ends && { low: asShareOf(ends[0]), high: asShareOf(ends[1]) });
}

/** The smallest two-sided p that samples of m and n values without ties can have: 2 ÷ C(m + n, m). */
export function smallestP(m: number, n: number): number {
  let p = 2;
  for (let i = 1; i <= Math.min(m, n); i++) p *= i / (Math.max(m, n) + i);
  return Math.min(1, p);
}
