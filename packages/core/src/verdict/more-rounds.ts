// A rough estimate, in words, of the rounds that would settle a comparison.

import { pseudomedian } from '../math/hodges-lehmann.ts';
import { roundsToSettle } from '../math/power.ts';
import type { MoreRounds } from '../schemas/comparison.ts';
import { counted } from '../text/numbers.ts';

/**
 * With fewer rounds the estimate hardly depends on the truth: from three rounds of 5 % with a spread of 10 % it is 9 in one campaign and
 * 153 in another.
 */
export const minTelling = 10;
/**
 * Chances below which more rounds up to the last look are not worth their time. That of a difference is high, because it is the best case:
 * for the end of the interval that helps most. That of equivalence is low: it comes late, and a campaign without a difference ends with it
 * (bench/statistics/sequential.ts).
 */
const worthwhile = { difference: 0.8, equivalence: 0.2 };
/** A level at which no difference is ever found. */
const never = 1e-100;

/**
 * Below ten rounds, only the minimum that a difference needs. From ten on, the range for the interval of the shift: `roundsToSettle` for
 * both of its ends and its middle. The number for a known shift would be right to within a few rounds, but the shift is not known.
 *
 * @param logRatios ln(h3 ÷ h2), one for each round; finite
 * @param options.level of the comparison among the others, equivalenceLevel and margin as `roundsToSettle` takes them
 * @param options.enoughRounds rounds that show a difference if all are on one side
 * @param options.last look of a campaign that runs until settled, with the best level at which a difference can be found; null: no look is left
 * @returns null if nothing can be said
 */
export function moreRounds(
  logRatios: readonly number[],
  options: {
    level: number;
    equivalenceLevel: number;
    margin: number;
    enoughRounds: number;
    last?: { rounds: number; level: number; equivalenceLevel: number } | null;
  },
): MoreRounds | null {
  const { level, equivalenceLevel, margin, enoughRounds, last = null } = options;
  const seen = logRatios.length;
  const least = enoughRounds - seen;
  if (seen < minTelling) return least > 0 ? { least, givenUp: false, words: `Needs at least ${counted(least, 'more round')}.` } : null;
  const { estimate, interval } = pseudomedian(logRatios, 0.95);
  const shifts = [...new Set([estimate, interval?.low ?? estimate, interval?.high ?? estimate])];
  const totals = shifts.map((shift) => {
    const planned = roundsToSettle(logRatios, { alpha: level, equivalenceAlpha: equivalenceLevel, margin, shift });
    return planned === null ? null : (planned.more ?? Number.POSITIVE_INFINITY);
  });
  const known = totals.filter((total) => total !== null);
  if (known.length === 0) return null;
  const words = `Settling it would take more rounds: ${rangeWords(known)}.`;
  // A difference is most likely to be found for an end of the interval, equivalence for no difference.
  const withNone = interval !== null && interval.low < 0 && interval.high > 0 ? [...shifts, 0] : shifts;
  const isGivenUp =
    last !== null &&
    withNone.every((shift) => {
      const within = { shift, maxRounds: last.rounds };
      const difference = roundsToSettle(logRatios, { ...within, alpha: last.level, power: worthwhile.difference });
      const equal = { alpha: never, equivalenceAlpha: last.equivalenceLevel, margin, power: worthwhile.equivalence };
      return difference?.total === null && roundsToSettle(logRatios, { ...within, ...equal })?.total === null;
    });
  return {
    least: Math.max(1, least),
    givenUp: isGivenUp,
    words: isGivenUp ? `${words} Its maximum of ${last.rounds} would hardly be enough, so the campaign adds none here.` : words,
  };
}

/** Such as “fewer than 25”, “10 to 100” or “25 to hundreds”: by steps, since the number of rounds is never known exactly. */
export function rangeWords(rounds: readonly number[]): string {
  const stepOf = (count: number) => [10, 25, 100, 1_001].filter((first) => count >= first).length;
  const from = [null, '10', '25', 'hundreds', 'thousands'][stepOf(Math.min(...rounds))] ?? null;
  const to = ['10', '25', '100', 'hundreds', 'thousands'][stepOf(Math.max(...rounds))] ?? '';
  if (from === null) return Number.isNaN(Number(to)) ? `up to ${to}` : `fewer than ${to}`;
  return from === to ? from : `${from} to ${to}`;
}
