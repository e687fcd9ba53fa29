// Before a campaign: the smallest difference that its rounds can show.

import { pseudomedian } from '../math/hodges-lehmann.ts';
import { exceedances, signedRankPower } from '../math/power.ts';
import { normalQuantile } from '../math/probability.ts';
import { assertSample } from '../math/sample.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import type { DetectableDifference } from '../schemas/campaign-preview.ts';
import type { GateCampaign } from '../schemas/gate.ts';
import { counted } from '../text/numbers.ts';
import { type Adjustment, roundsOfPrecision } from '../vocabulary/choices.ts';
import { expandSets } from '../vocabulary/condition-set.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import { alpha } from './cell-comparisons.ts';
import { minRoundsAt } from './doubts.ts';
import { confirmatoryComparisons } from './questions.ts';
import { looksOf } from './sequential.ts';
import { summarise } from './summary.ts';

const power = 0.8;
/** From a steady machine and page to the variation of a busy public site. */
const assumedSpreads = [0.05, 0.1, 0.2];
/** From this many rounds on, their variation is known well enough; from fewer the spread is a guess. */
const minRoundsSeen = 6;

/**
 * The default number of rounds. Among up to 9, 60 and 1,000 comparisons, 10, 15 and 20 rounds name about half, or more, of differences of a
 * tenth that most of them have, if rounds differ by a tenth (bench/statistics/corrections.ts). Until settled: of the first look, as early
 * as any can claim something.
 *
 * @param cells of the campaign
 */
export function usualRounds(cells: number, isUntilSettled: boolean): number {
  if (isUntilSettled) return 6;
  return cells <= 9 ? 10 : cells <= 60 ? 15 : 20;
}

/** The rounds that a request of a gate leads to, before its campaign is made. @param pages their number */
export function plannedRounds(
  { rounds, precision, conditions = ['native'], views = ['cold'] }: Partial<GateCampaign>,
  pages: number,
): number {
  const ofPrecision = precision && roundsOfPrecision[precision].rounds;
  return rounds ?? ofPrecision ?? usualRounds(pages * expandSets(conditions).length * views.length, false);
}

/**
 * The default correction. For hundreds of comparisons, limiting the chance of any false winner would cost most of the true ones; a reader
 * of that many needs their share, and `differing` gives a lower bound of the true ones.
 *
 * @param cells of the campaign
 */
export const usualAdjustment = (cells: number): Adjustment => (cells < 100 ? 'hommel' : 'benjamini-hochberg');

/** The variation of one cell's earlier rounds: errors about their centre, ascending and mirrored, so that neither side is favoured. */
export type RoundErrors = { errors: Float64Array; stdev: number; rounds: number };

/**
 * The errors of rounds about their pseudomedian, as in `roundsToSettle`: the test's model is symmetric, and √(n ÷ (n − 1)) compensates for
 * the centre being their own.
 *
 * @param logRatios ln(h3 ÷ h2), one for each round.
 * @returns null for fewer than 6 rounds.
 * @throws RangeError on a value that is not finite.
 */
export function roundErrors(logRatios: readonly number[]): RoundErrors | null {
  const rounds = logRatios.length;
  if (rounds < minRoundsSeen) return null;
  assertSample('round errors', logRatios);
  const { estimate } = pseudomedian(logRatios);
  const spread = Math.sqrt(rounds / (rounds - 1));
  const errors = Float64Array.from(logRatios.flatMap((value) => [spread * (value - estimate), spread * (estimate - value)])).sort();
  return { errors, stdev: summarise(logRatios).stdev ?? 0, rounds };
}

/** Normal errors with this standard deviation, by their quantiles. */
export function normalErrors(stdev: number): Float64Array {
  const count = 400;
  return Float64Array.from({ length: count }, (_, i) => stdev * normalQuantile((i + 0.5) / count));
}

/**
 * The smallest shift of log-ratios that the two-sided signed-rank test of this many rounds finds with the power. Analytic, like
 * `roundsToSettle`; `smallestDetectable` simulates the same with the noise of a calibration.
 *
 * @param errors ascending, symmetric.
 * @returns null if so few rounds never reach alpha, whatever they show.
 */
export function smallestShift(errors: Float64Array, { rounds, level }: { rounds: number; level: number }): number | null {
  const powerAt = (shift: number) => signedRankPower(exceedances(errors, shift), rounds, level);
  const largest = Math.max(...errors.map(Math.abs));
  // If every round is on one side, the test finds everything it can.
  let [without, enough] = [0, 2 * largest + 1e-9];
  if (powerAt(enough) < power) return null;
  for (let halvings = 0; halvings < 24; halvings++) {
    const middle = (without + enough) / 2;
    if (powerAt(middle) >= power) enough = middle;
    else without = middle;
  }
  return enough;
}

/**
 * What a campaign's rounds can show of h3 against h2 on its primary metric. The level is that of its last look, as if no other comparison
 * found anything: earlier looks, and winners elsewhere, only add to the power. With Benjamini–Hochberg's correction the level follows
 * winners elsewhere: as if every tenth comparison found something.
 *
 * @param seen errors of the cells that were measured before.
 * @returns null if h3 is not compared with h2.
 */
export function detectableDifference(
  spec: Pick<CampaignSpec, 'rounds' | 'maximumRounds' | 'adjustment' | 'protocols' | 'conditions' | 'views' | 'primaryMetric'>,
  sites: number,
  seen: readonly RoundErrors[],
): DetectableDifference | null {
  const comparisons = confirmatoryComparisons(spec.protocols, sites * spec.conditions.length * spec.views.length);
  if (comparisons === 0) return null;
  const last = looksOf(spec, sites)?.at(-1) ?? { rounds: spec.rounds, level: alpha };
  const { rounds } = last;
  const finding = spec.adjustment === 'benjamini-hochberg' ? Math.max(1, comparisons / 10) : 1;
  const level = (last.level * finding) / comparisons;
  const relativeOf = (errors: Float64Array): number | null => {
    const shift = smallestShift(errors, { rounds, level });
    return shift === null ? null : Math.expm1(shift);
  };
  const difference: Omit<DetectableDifference, 'words'> = {
    rounds,
    minRounds: minRoundsAt(spec.adjustment === 'holm' ? level : last.level),
    power,
    level,
    comparisons,
    assumed: assumedSpreads.map((spread) => ({ spread, relative: relativeOf(normalErrors(spread)) })),
    seen: seen.length === 0 ? null : seenOf(seen, comparisons, relativeOf),
  };
  return { ...difference, words: wordsOf(difference, spec) };
}

/**
 * The ratio of a detectable difference, estimated from this many rounds of one cell, to the true one, in nine of ten campaigns
 * (bench/statistics/winner-estimates.ts: 0.48 to 1.65 from 6 rounds, 0.61 to 1.45 from 10, 0.73 to 1.30 from 20, 0.83 to 1.19 from 50;
 * higher if noise has heavy tails).
 */
const giveOrTake = [
  { below: 10, share: 0.5, words: 'a half' },
  { below: 20, share: 0.4, words: 'two fifths' },
  { below: 50, share: 0.3, words: 'a third' },
  { below: Number.POSITIVE_INFINITY, share: 0.2, words: 'a fifth' },
] as const;
const giveOrTakeOf = (rounds: number) => giveOrTake.find(({ below }) => rounds < below) ?? giveOrTake[0];

function seenOf(
  seen: readonly RoundErrors[],
  ofCells: number,
  relativeOf: (errors: Float64Array) => number | null,
): NonNullable<DetectableDifference['seen']> {
  const middleOf = <Item>(sorted: readonly Item[]) => sorted[Math.floor((sorted.length - 1) / 2)];
  const spreads = seen.map(({ stdev }) => stdev).sort((one, other) => one - other);
  // Cells that find nothing are the last.
  const differences = seen
    .map(({ errors }) => relativeOf(errors))
    .sort((one, other) => (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY) || 0);
  return {
    cells: seen.length,
    ofCells,
    rounds: seen.reduce((sum, cell) => sum + cell.rounds, 0),
    spread: middleOf(spreads) ?? 0,
    giveOrTake: giveOrTakeOf(middleOf(seen.map((cell) => cell.rounds).sort((a, b) => a - b)) ?? 0).share,
    relative: middleOf(differences) ?? null,
    best: differences[0] ?? null,
    worst: differences.at(-1) ?? null,
  };
}

function wordsOf(
  { rounds, minRounds, comparisons, seen, assumed }: Omit<DetectableDifference, 'words'>,
  { primaryMetric: metric, adjustment }: Pick<CampaignSpec, 'primaryMetric' | 'adjustment'>,
): string {
  const others = adjustment === 'benjamini-hochberg' ? ' of which one in ten shows a difference' : '';
  const among = comparisons === 1 ? '' : `, corrected for ${counted(comparisons, 'comparison')}${others}`;
  if (assumed.every(({ relative }) => relative === null)) {
    const can = rounds < minRounds ? 'whatever they show' : 'or hardly any';
    return `${counted(rounds, 'round')} can't name a winner${among}, ${can}: at least ${Math.max(minRounds, rounds + 1)} are needed.`;
  }
  const find = `${counted(rounds, 'round')} detect such a difference between HTTP/3 and HTTP/2 in ${metricTitle(metric)} with 80 % power${among}`;
  if (seen === null) {
    return `${find}. It depends on how much rounds differ, which is not known yet for these pages: 5 %, 10 % and 20 % are assumptions.`;
  }
  const which = seen.cells === seen.ofCells ? '' : `, of ${seen.cells} of ${seen.ofCells} pages, conditions and views,`;
  const { words } = giveOrTake.find(({ share }) => share === seen.giveOrTake) as (typeof giveOrTake)[number];
  return `${find}, if rounds differ as ${counted(seen.rounds, 'earlier one')}${which} did: give or take ${words}, because so few rounds say little about how rounds differ.`;
}
