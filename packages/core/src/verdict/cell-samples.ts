// The samples that the visits of a cell give to the comparisons of its protocols, up to the last look at them.
import type { MetricName } from '../schemas/metrics.ts';
import type { SlotResults } from '../schemas/results.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import type { Pair } from './comparison.ts';
import { type CountedVisits, failed } from './counted-visits.ts';
import type { LoadedPages } from './parity.ts';
import type { Look } from './sequential.ts';

/** The visits of one slot of a cell. */
export interface SlotVisits {
  protocol: Protocol;
  /** Visits that count, as values or as failures. */
  counted: CountedVisits;
  /** Further facts of the visits that count; absent: none. */
  pages?: LoadedPages;
  /** Every invalid visit. */
  invalid: ReadonlyMap<InvalidReason, number>;
  /** A detail of one visit for each reason; absent: unknown. */
  details?: ReadonlyMap<InvalidReason, string>;
}

export interface ComparedCell {
  slots: readonly SlotVisits[];
  /** Numbers of the finished rounds; visits of others don't count. */
  finished: ReadonlySet<number>;
  /** A doubt about its link; null: none. */
  linkDoubt: string | null;
}

/** Outcomes in the form of results. */
export const outcomesOf = ({ counted, invalid }: SlotVisits): Pick<SlotResults, 'valid' | 'invalid'> => ({
  valid: counted.valid,
  invalid: [...invalid].map(([reason, count]) => ({ reason, count })),
});

/** The rounds of a cell that count so far. */
export interface Rounds {
  /** Ascending: up to the last look, or all if there was none. */
  numbers: readonly number[];
  /** The index of each number. */
  places: ReadonlyMap<number, number>;
  /** The looks that happened. */
  looks: readonly Look[];
  /** Level of the last look, or of the first one if there was none; null: the campaign has none. */
  level: number | null;
}

/**
 * Rounds after the last look wait for the next one: using them would be an unplanned look.
 *
 * A look is over when all of its rounds had their turn: as many finished, or rounds beyond it were planned, or all of the campaign is
 * complete and rounds beyond the previous look were planned (some may have been abandoned).
 *
 * @param looks of the campaign; null if the number of rounds is fixed.
 */
export function roundsOf({ finished }: Pick<ComparedCell, 'finished'>, looks: readonly Look[] | null, complete: boolean): Rounds {
  const numbers = [...finished].sort((a, b) => a - b);
  if (looks === null) return { numbers, places: placesOf(numbers), looks: [], level: null };
  const highest = numbers.at(-1) ?? 0;
  const taken = looks.filter(
    ({ rounds }, i) => numbers.length >= rounds || highest > rounds || (complete && highest > (looks[i - 1]?.rounds ?? 0)),
  );
  const last = taken.at(-1);
  const counting = last === undefined ? numbers : numbers.filter((number) => number <= last.rounds);
  return { numbers: counting, places: placesOf(counting), looks: taken, level: (last ?? looks[0])?.level ?? null };
}

const placesOf = (numbers: readonly number[]) => new Map(numbers.map((number, place) => [number, place]));

/** One protocol's values of a metric. */
export interface Side {
  /** Of all visits that count; +∞ for the time of a failed load. */
  values: number[];
  /** One for each round; NaN if it has none. */
  ofRound: number[];
  /** For each round 1 if its load failed, otherwise 0; NaN if none counts. */
  failures: number[];
}

/**
 * If a protocol has several slots (A/A beside a comparison), the first one that has a number, or failed, represents the round. Not their
 * mean: the mean of two skewed times has another distribution than the single visit of the other side, and would win by that alone.
 */
export function sideOf({ slots }: ComparedCell, { places }: Pick<Rounds, 'places'>, protocol: Protocol, metric: MetricName): Side {
  const none = () => new Array<number>(places.size).fill(Number.NaN);
  const side: Side = { values: [], ofRound: none(), failures: none() };
  let valid = 0;
  for (const slot of slots) {
    if (slot.protocol !== protocol) continue;
    valid += slot.counted.valid;
    for (const [visit, value] of slot.counted.valuesOf(metric).entries()) {
      const place = places.get(slot.counted.rounds[visit] as number);
      if (place === undefined) continue;
      if (Number.isNaN(side.failures[place])) side.failures[place] = slot.counted.failures[visit] ? 1 : 0;
      if (Number.isNaN(value)) continue;
      side.values.push(value);
      if (Number.isNaN(side.ofRound[place])) side.ofRound[place] = value;
    }
  }
  // If no successful load has the metric, failed ones don't have it either.
  return valid > 0 && side.values.every((value) => value === failed) ? { ...side, values: [], ofRound: none() } : side;
}

/** The pairs of the first `rounds` rounds that have both, in order. */
export function pairsOf(candidate: Side, baseline: Side, rounds = candidate.ofRound.length): Pair[] {
  const pairs: Pair[] = [];
  for (let place = 0; place < rounds; place++) {
    const [value, other] = [candidate.ofRound[place] as number, baseline.ofRound[place] as number];
    if (!Number.isNaN(value) && !Number.isNaN(other)) pairs.push({ candidate: value, baseline: other });
  }
  return pairs;
}

/**
 * A side's values for showing that it is faster: like a failed load, one that lacks objects has no comparable time. Of the rounds in which
 * it lacked more objects than the other, those in excess of the other's own such rounds become failures, starting with the most favourable
 * ones.
 *
 * @param lost indexes of the rounds in which each lost more objects than the other
 */
export function withoutLosses(side: Side, other: Side, lost: { own: readonly number[]; others: readonly number[] }): Side {
  const ratioOf = (place: number) => (side.ofRound[place] as number) / (other.ofRound[place] as number);
  const paired = (places: readonly number[]) => places.filter((place) => !Number.isNaN(ratioOf(place)));
  const own = paired(lost.own).sort((a, b) => ratioOf(a) - ratioOf(b));
  const worst = new Set(own.slice(0, Math.max(0, own.length - paired(lost.others).length)));
  if (worst.size === 0) return side;
  return { ...side, ofRound: side.ofRound.map((value, place) => (worst.has(place) ? failed : value)) };
}
