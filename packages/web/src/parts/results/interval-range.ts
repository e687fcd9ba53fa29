// One axis for all differences that stand below each other. Pure.
import type { Comparison } from '@pronghorn/core/schemas';

export type Ends = { low: number; high: number };

export type Estimate = {
  value: number;
  interval: Ends | null;
  /** The narrower interval that equivalence is judged by. */
  inner: Ends | null;
};

/** The shift; where a value is 0 and has no ratio, the H3-Delta. */
export function estimateOf({ shift, delta, equivalence }: Pick<Comparison, 'shift' | 'delta' | 'equivalence'>): Estimate | null {
  const estimate = shift ?? delta;
  if (estimate === null || estimate.value === null) return null;
  const { value, low, high } = estimate;
  return {
    value,
    interval: endsOf(low, high),
    inner: shift === null || equivalence === null ? null : endsOf(equivalence.low, equivalence.high),
  };
}

/** What has no end is not drawn. */
const endsOf = (low: number | null, high: number | null): Ends | null => (low === null || high === null ? null : { low, high });

/** The largest relative difference that counts as none, as the bounds of a ratio: symmetric in its logarithm. */
export const marginBounds = (margin: number): Ends => ({ low: 1 / (1 + margin) - 1, high: margin });

/** One range for all estimates: zero and the margin are always in it. */
export function intervalRange(estimates: readonly Estimate[], margin: number): [number, number] {
  const bounds = marginBounds(margin);
  const ends = estimates.flatMap(({ value, interval, inner }) =>
    [value, interval?.low, interval?.high, inner?.low, inner?.high].filter((end) => end !== undefined),
  );
  const [low, high] = [Math.min(bounds.low, ...ends), Math.max(bounds.high, ...ends)];
  const air = (high - low) * 0.05;
  return [low - air, high + air];
}
