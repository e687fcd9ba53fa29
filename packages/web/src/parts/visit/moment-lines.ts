// The moments as lines behind thousands of bars, without an element for each.
import type { Moment } from './moments.ts';
import { shareOf, type TimeWindow } from './time-window.ts';

/**
 * CSS variables of which a track makes its background: one picture of one pixel's width for each moment, and its place.
 * @param ink of a visit, as CSS has it.
 */
export function momentLines(moments: readonly (Moment & { visit: number })[], window: TimeWindow, ink: (visit: number) => string) {
  const within = moments.filter(({ ms }) => ms >= window.fromMs && ms <= window.toMs);
  return {
    '--lines': within.map(({ visit }) => `linear-gradient(${ink(visit)}, ${ink(visit)})`).join(', ') || 'none',
    '--places': within.map(({ ms }) => `${shareOf(window, ms).toFixed(3)}% 0`).join(', ') || '0 0',
  };
}
