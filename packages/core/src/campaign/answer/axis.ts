// The axis that all rows of an answer share, wherever they are drawn.
import type { AnswerRow } from './rows.ts';

/** The largest relative difference that counts as none, as the bounds of a ratio: symmetric in its logarithm. */
export const marginBounds = (margin: number): { low: number; high: number } => ({ low: 1 / (1 + margin) - 1, high: margin });

/** From 0 to 100: places on the plot, whose width nobody has to know. */
export type Axis = { reach: number; of: (share: number) => { percent: number; beyond: 'low' | 'high' | null } };

/** As far to both sides of zero, so that the side says who is faster. A few rows far away, and wide intervals, end at its edge. */
export function axisOf(rows: readonly Pick<AnswerRow, 'difference' | 'interval' | 'marks'>[], margin: number): Axis {
  const shares = rows
    .flatMap(({ difference, marks }) => (marks.length > 0 ? marks.map(({ share }) => share) : (difference?.share ?? [])))
    .filter(Number.isFinite);
  const sizes = shares.map(Math.abs).sort((a, b) => a - b);
  const largest = sizes.at(-1) ?? 0;
  const usual = sizes.length > 10 ? Math.min(largest, 3 * (sizes[Math.floor(0.9 * sizes.length)] ?? 0)) : largest;
  const ends = Math.max(0, ...rows.flatMap(({ interval }) => (interval === null ? [] : [Math.abs(interval.low), Math.abs(interval.high)])));
  const reach = Math.max(0.02, 2.5 * marginBounds(margin).high, 1.15 * usual, Math.min(1.08 * ends, 1.8 * usual + margin));
  return {
    reach,
    of: (share) => ({
      percent: 50 + (50 * Math.max(-reach, Math.min(reach, share))) / reach,
      beyond: share < -reach ? 'low' : share > reach ? 'high' : null,
    }),
  };
}
