import type { PageTimings } from '../gather/evidence.ts';

/**
 * Cumulative Layout Shift: the largest sum of shifts in a session window, which ends after a gap of 1 s or after 5 s.
 *
 * Source: https://web.dev/articles/cls
 */
export function cumulativeLayoutShift(shifts: PageTimings['layoutShifts']): number | null {
  if (shifts === null) return null;
  let largest = 0;
  let sum = 0;
  let first = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { startTime, value } of shifts) {
    if (startTime - last >= 1_000 || startTime - first >= 5_000) {
      sum = 0;
      first = startTime;
    }
    sum += value;
    last = startTime;
    largest = Math.max(largest, sum);
  }
  return largest;
}
