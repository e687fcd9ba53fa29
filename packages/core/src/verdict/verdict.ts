// The verdict of a comparison: a winner, no difference that matters, or no clear difference; and why.

import type { ComparisonVerdict, VerdictOutcome } from '../schemas/comparison.ts';
import { estimatedValue } from '../text/numbers.ts';
import { notLoadedWords, type VerdictFacts, verdictWords } from '../text/verdict.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { Compared } from './comparison.ts';
import { doubtsOf } from './doubts.ts';
import type { Modes } from './modes.ts';
import { minTelling } from './more-rounds.ts';

/** The circumstances of a comparison that may speak against a winner. */
export interface Circumstances extends VerdictFacts {
  /** With fewer rounds no data could show a difference, whatever the other comparisons show; see `minRoundsAt`. */
  minRounds: number;
  /** With this many rounds a difference can be shown even if no other comparison shows one. */
  soleRounds: number;
  /** Rounds on neither side: both took the same time, or both failed. */
  tiedRounds: number;
  /** Finished rounds of each side without a value and without a failure of the page. */
  lostRounds: { candidate: number; baseline: number };
  /** Finished rounds; the comparison's `rounds` have both sides. */
  finishedRounds: number;
  /** Called if the test favours a winner. */
  modes: () => BothModes;
  /** Doubt about the condition's link. */
  linkDoubt: string | null;
  /** Share of the h3 side's visits in which the browser's receive buffer was overrun; 0 without an h3 side. */
  overrunShare: number;
  /** Doubts about the loads themselves: see `pageDoubts`. */
  pageDoubts: ComparisonVerdict['doubts'];
  /** Why the would-be winner owes its lead to objects that it alone lost; null: it does not. Called if there is one. */
  winnerLacks: () => string | null;
  /** Rounds are pending before the first look, or were cancelled: stopping when it looks good would be looking until it does. */
  unfinished: boolean;
  /** As of `moreRounds`; called if it is not settled. */
  moreRounds: () => ComparisonVerdict['moreRounds'];
}

export interface BothModes {
  candidate: Modes | null;
  baseline: Modes | null;
}

/**
 * The verdict of a comparison whose metric is a time: lower is faster.
 *
 * - `equivalent` if two one-sided tests place the shift inside the margin, even if it is certainly not 0: the margin says what matters. The
 *   level of each is the comparison's own, uncorrected: it names no winner.
 * - `…-faster` if Wilcoxon's test on rounds rejects at the level after correction. That keeps the chance that a campaign names any false
 *   winner at the level, or with Benjamini–Hochberg's correction the share of false ones among the winners, whatever the times'
 *   distribution: rounds only have to be exchangeable within.
 * - `not-shown-yet` if all rounds are on one side, but are too few to exclude chance among the comparisons that are judged together.
 * - `inconclusive` otherwise, and if there are doubts (`doubtsOf`).
 */
export function decide(comparison: Compared, circumstances: Circumstances): ComparisonVerdict {
  const nothing = nothingToCompare(comparison, circumstances);
  if (nothing !== null) return nothing;
  const winner = winnerOf(comparison, circumstances.level);
  const against = doubtsOf(comparison, circumstances, winner);
  const outcome = outcomeOf(comparison, circumstances, winner, against);
  // Too few rounds is all that it says.
  const doubts = outcome === 'not-shown-yet' ? [] : against;
  const words = verdictWords(outcome, comparison, circumstances, winner, doubts);
  const open = outcome === 'inconclusive' && doubts.every(({ doubt }) => doubt === 'too-few-rounds');
  const missing = circumstances.enoughRounds - comparison.rounds;
  // The words of what is not shown yet say how many rounds can show it.
  const enough = outcome === 'not-shown-yet' && missing > 0 ? { least: missing, givenUp: false, words: '' } : null;
  const more = open ? circumstances.moreRounds() : enough;
  // Of so few rounds both say the least number that could show a difference; the doubt says it in full.
  const isSaid = more !== null && doubts.length > 0 && comparison.rounds < minTelling;
  return { outcome, words, doubts, moreRounds: isSaid ? { ...more, words: '' } : more };
}

/**
 * The verdict of a page that loaded over neither protocol, or never over one of them without that being a failure of its own, such as a
 * site without HTTP/3.
 */
function nothingToCompare({ rounds }: Compared, { notLoaded }: Circumstances): ComparisonVerdict | null {
  if (notLoaded === null || (notLoaded.protocol !== null && rounds > 0)) return null;
  const words = notLoadedWords(notLoaded);
  return { outcome: 'inconclusive', words, doubts: [{ doubt: 'not-loaded', words }], moreRounds: null };
}

/**
 * The protocol that the test favours; null if it does not reject, and if half of the rounds or nearly so show no difference at all, so that
 * the shift is 0: a winner by 0 % is none. Otherwise shift and rank-biserial correlation have the same sign, because W+ − W− is the number
 * of positive Walsh averages minus that of negative ones, and the shift is their median.
 */
function winnerOf({ signedRank, shift, candidate, baseline }: Compared, level: number): Protocol | null {
  if (signedRank === null || signedRank.adjustedP > level || signedRank.rankBiserial === 0) return null;
  if (shift !== null && Math.sign(estimatedValue(shift)) !== Math.sign(signedRank.rankBiserial)) return null;
  return signedRank.rankBiserial < 0 ? candidate : baseline;
}

/** Whether an outcome answers the question. */
export const isAnswer = (outcome: VerdictOutcome): boolean => outcome !== 'inconclusive' && outcome !== 'not-shown-yet';

export const namesWinner = (outcome: VerdictOutcome): boolean => isAnswer(outcome) && outcome !== 'equivalent';

/** Fewer rounds are often all on one side. */
const minOnOneSide = 3;

function outcomeOf(
  { equivalence, signedRank, rounds }: Compared,
  { enoughRounds, tiedRounds }: Circumstances,
  winner: Protocol | null,
  doubts: ComparisonVerdict['doubts'],
): VerdictOutcome {
  if (equivalence?.equivalent === true) {
    // If both sides have two modes, their ratios may still lie inside the margin.
    return doubts.every(({ doubt }) => doubt === 'two-modes') ? 'equivalent' : 'inconclusive';
  }
  if (winner !== null) return doubts.length > 0 ? 'inconclusive' : `${winner}-faster`;
  const onOneSide =
    signedRank !== null && Math.abs(signedRank.rankBiserial) === 1 && tiedRounds === 0 && rounds >= minOnOneSide && rounds < enoughRounds;
  return onOneSide && doubts.every(({ doubt }) => doubt === 'too-few-rounds') ? 'not-shown-yet' : 'inconclusive';
}
