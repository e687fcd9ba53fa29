// The intervals of H3-Delta in a trend: those that the campaigns' own comparisons have, of as many campaigns as can be waited for.

import { bootstrapIntervals } from '../math/bootstrap.ts';
import type { DeltaSeries } from '../schemas/site.ts';
import type { Pair } from '../verdict/comparison.ts';
import { alpha } from '../verdict/group-comparisons.ts';
import { roundsOf } from '../verdict/group-samples.ts';
import type { Look } from '../verdict/sequential.ts';

/** Of one metric of a site, condition and view, by the number of the round. */
type Rounds = Record<'h3' | 'h2', ReadonlyMap<number, number>>;
/** How the campaign's comparison looks at them. */
type Judged = {
  /** Null: of a fixed number of rounds; then it does not matter which are finished. */
  looks: readonly Look[] | null;
  /** Numbers of the finished rounds, those without the metric too. */
  finished: ReadonlySet<number> | null;
  /** Whether every round had its turn. */
  complete: boolean;
  seed: number;
};

/** An interval of n rounds takes about 0.04 ms × (n + 10): all of an answer a second, or two on a slow machine. */
const mostRounds = 25_000;
const ofEach = 10;

/**
 * @param most rounds of all points that get intervals, ten more counted for each.
 * @returns `add` notes points, the oldest first; `make` then gives the newest of them their intervals.
 */
export function newestIntervals(most = mostRounds) {
  type Waiting = { point: DeltaSeries['points'][number]; pairs: Pair[]; confidence: number; seed: number };
  const waiting: Waiting[] = [];
  let rounds = 0;
  return {
    add(point: Waiting['point'], { h3, h2 }: Rounds, { looks, finished, complete, seed }: Judged): void {
      const { numbers, level } = roundsOf({ finished: finished ?? new Set([...h3.keys(), ...h2.keys()]) }, looks, complete);
      const judged = new Set(numbers);
      // The delta is of these too: the comparison's interval is of another one.
      if ([...h3.keys(), ...h2.keys()].some((number) => !judged.has(number))) return;
      const pairs = numbers.flatMap((number) => {
        const [candidate, baseline] = [h3.get(number), h2.get(number)];
        return candidate === undefined || baseline === undefined ? [] : [{ candidate, baseline }];
      });
      if (pairs.length === 0) return;
      waiting.push({ point, pairs, confidence: 1 - (level ?? alpha), seed });
      rounds += pairs.length + ofEach;
      while (rounds > most) rounds -= (waiting.shift() as Waiting).pairs.length + ofEach;
    },

    make(): void {
      for (const { point, pairs, confidence, seed } of waiting) {
        const found = bootstrapIntervals(pairs, { seed, confidence })?.delta;
        if (found) point.interval = { low: found.low, high: found.high };
      }
    },
  };
}
