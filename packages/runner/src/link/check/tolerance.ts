// How far a measured link may be from its condition: the project's tolerances as pure functions.
import type { Shape } from '@pronghorn/core/schemas';

/** Of a delay: 2 ms, or 5 % when that is more. */
const delayFloorMs = 2;
const delayShare = 0.05;
/** Of a rate. */
export const rateShare = 0.07;
/** Standard errors that 99.9 % of a normal distribution lie within. */
const standardErrors = 3.2905;

/**
 * What the median of a number of delays may be off by, in milliseconds: max(2 ms, 5 %), and where jitter is asked for, what
 * chance alone does to a median of so few.
 *
 * The standard error of a median is 1.2533 σ/√n for a normal distribution and J/√n for a uniform one of half width J; the
 * larger is taken for all, with σ or J as *requested*: a link that jitters more than it should gets no more room by that.
 * netem's correlation doesn't add to it: its filter x' = (1 − ρ)u + ρx keeps the variance of a sum as it is.
 * The median is judged, not the mean, because a machine that is busy for a moment receives some packets late, and because it is the requested delay whatever the correlation, and when a jitter larger
 * than the delay is cut off at 0, and when a share of packets is sent at once to reorder them. Only Pareto's is not in the
 * middle: 0.32 σ below it (netem's table is 4/3 (u^(−1/3) − 1.5)), which is allowed for.
 */
export function delayToleranceMs(requestedMs: number, shapes: readonly Shape[], packets: number): number {
  const spread = Math.hypot(...shapes.map(({ jitter }) => jitter?.ms ?? 0));
  const lopsided = shapes
    .filter(({ jitter }) => jitter?.distribution === 'pareto' || jitter?.distribution === 'paretonormal')
    .reduce((sum, { jitter }) => sum + 0.33 * (jitter?.ms ?? 0), 0);
  const chance = packets === 0 ? 0 : (standardErrors * 1.2533 * spread) / Math.sqrt(packets);
  return Math.max(delayFloorMs, delayShare * requestedMs) + chance + lopsided;
}

export const delayWithin = (measuredMs: number, requestedMs: number, toleranceMs: number) =>
  Math.abs(measuredMs - requestedMs) <= toleranceMs;

export const rateWithin = (measuredKbps: number, requestedKbps: number) =>
  Math.abs(measuredKbps - requestedKbps) <= rateShare * requestedKbps;
