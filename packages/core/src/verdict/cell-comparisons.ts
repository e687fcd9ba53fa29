// All comparisons of a campaign, their correction for one another, and their verdicts.

import { adjustPValues, closedSimes } from '../math/adjust.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { CellResults, SlotResults } from '../schemas/results.ts';
import type { Adjustment } from '../vocabulary/choices.ts';
import type { Engine } from '../vocabulary/engine.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { type ComparedCell, outcomesOf, pairsOf, type Rounds, roundsOf, type Side, sideOf, withoutLosses } from './cell-samples.ts';
import { type Compared, compare, logRatios, type Pair, pairedTest } from './comparison.ts';
import { minRoundsAt } from './doubts.ts';
import { modesOfLoads } from './modes.ts';
import { moreRounds } from './more-rounds.ts';
import { h3Shares, lostAlone, lostWords, pageDoubts } from './parity.ts';
import { type Question, questionsOf } from './questions.ts';
import { type Look, sequentialP } from './sequential.ts';
import { notLoaded } from './unmeasured.ts';
import { type Circumstances, decide, isAnswer, namesWinner } from './verdict.ts';

/** How a campaign's comparisons are judged; all fixed before its first round. */
interface Judgement {
  engine: Engine;
  primaryMetric: MetricName;
  margin: number;
  adjustment: Adjustment;
  seed: number;
  /** Of the bootstrap of H3-Delta, which no verdict depends on: simulations of verdicts use fewer. */
  resamples?: number;
  /** Of a campaign that runs until settled; null: one look, after all rounds. */
  looks: readonly Look[] | null;
  /** True if all planned rounds had their turn. */
  complete: boolean;
  /** True if it may get more rounds all the same, after a look. */
  mayGrow?: boolean;
  /** Only the campaign's question, for summaries and for decisions on more rounds. Its correction stays the same. */
  only?: 'confirmatory';
}

/** A verdict's level for a campaign, over all its looks. */
export const alpha = 0.05;

/**
 * The comparisons of all cells of a campaign, in the order of the cells; each cell's are generated on demand, because those of a large
 * campaign take hundreds of megabytes.
 *
 * Comparisons of one metric and one pair of protocols are a family, corrected together over all sites, conditions and views. The family of
 * the primary metric, h3 against h2, answers the campaign's question; the others are exploratory, each by itself.
 *
 * Each round of each cell draws its own order of protocols. If the protocol makes no difference in a cell, the signs of its rounds are
 * independent fair coins, whatever the cells' times have in common; so the p-values of such cells are independent, and Hommel's correction
 * holds. Exploratory families are corrected by Holm's instead of Hommel's: they share visits with each other, and were not planned.
 */
export function* compareCells(cells: readonly ComparedCell[], judgement: Judgement): Generator<Comparison[]> {
  const protocols = new Set(cells.flatMap(({ slots }) => slots.map(({ protocol }) => protocol)));
  const questions = questionsOf(protocols, judgement).filter(({ confirmatory }) => confirmatory || judgement.only === undefined);
  // The p-values of all first, because each comparison's verdict depends on its family.
  const members = cells.map((cell) => {
    const sides = sidesOf(cell, judgement);
    return questions.map((question) => memberOf(cell, sides(question), judgement));
  });
  const families = questions.map(({ confirmatory }, place) =>
    familyOf(
      members.map((ofCell) => ofCell[place] as Member),
      judgement.adjustment === 'hommel' && !confirmatory ? 'holm' : judgement.adjustment,
    ),
  );
  for (const [member, cell] of cells.entries()) {
    const sides = sidesOf(cell, judgement);
    yield questions.map((question, place) => compared(question, sides(question), cell, families[place] as Family, member, judgement));
  }
}

/** The two sides of a question, and the rounds that count. */
interface Sides {
  rounds: Rounds;
  candidate: Side;
  baseline: Side;
}

/** The sides of a cell; each protocol's side is made once for each metric. */
function sidesOf(cell: ComparedCell, { looks, complete }: Judgement): (question: Question) => Sides {
  const rounds = roundsOf(cell, looks, complete);
  const made = new Map<string, Side>();
  const sideFor = (protocol: Protocol, metric: MetricName): Side => {
    const name = `${protocol} ${metric}`;
    const side = made.get(name) ?? sideOf(cell, rounds, protocol, metric);
    made.set(name, side);
    return side;
  };
  return ({ metric, candidate, baseline }) => ({ rounds, candidate: sideFor(candidate, metric), baseline: sideFor(baseline, metric) });
}

function notLoadedOf({ slots }: ComparedCell, { candidate, baseline }: Question): Circumstances['notLoaded'] {
  const of = (...protocols: Protocol[]) => notLoaded(slots.filter(({ protocol }) => protocols.includes(protocol)).map(outcomesOf));
  const both = of(candidate, baseline);
  if (both !== null) return { protocol: null, words: both.words };
  for (const protocol of [candidate, baseline]) {
    const reasons = of(protocol);
    if (reasons !== null) return { protocol, words: reasons.words };
  }
  return null;
}

/** The contribution of a comparison to its family. */
interface Member {
  /** Over all its looks, uncorrected; 1 if there is nothing to test. */
  p: number;
  /** The same over the looks that favoured the side that is ahead now. */
  sideP: number;
  /** True if it is judged with the others. */
  counts: boolean;
}

/**
 * A comparison that could never show a difference, because fewer than six of its rounds are untied, takes no part: the number of ties does
 * not depend on which protocol is faster. It does take part until all rounds had their turn, and while it may get more of them; otherwise a
 * winner named while others have few rounds would have to be taken back.
 *
 * A family does not forget a look that favoured the other side either: it says nothing about its own comparison, but comparisons that were
 * named beside it got no more rounds since.
 */
function memberOf({ slots }: ComparedCell, sides: Sides, { looks, complete, mayGrow = false }: Judgement): Member {
  const pairs = pairsOf(sides.candidate, sides.baseline);
  const isOpen = !complete || (mayGrow && slots.every(({ counted }) => counted.valid > 0));
  return { ...psOf(sides, looks), counts: isOpen || pairs.length - tiesOf(pairs) >= minRoundsAt(alpha) };
}

const tiesOf = (pairs: readonly Pair[]): number => pairs.filter(({ candidate, baseline }) => candidate === baseline).length;

function psOf({ rounds, candidate, baseline }: Sides, looks: readonly Look[] | null): Pick<Member, 'p' | 'sideP'> {
  const test = pairedTest(pairsOf(candidate, baseline));
  if (looks === null || test === null) return { p: test?.p ?? 1, sideP: test?.p ?? 1 };
  const tests = rounds.looks.map((look) =>
    pairedTest(pairsOf(candidate, baseline, rounds.numbers.filter((number) => number <= look.rounds).length)),
  );
  const side = Math.sign(test.rankBiserial);
  const [all, ofSide] = [tests, tests.map((then) => (then !== null && Math.sign(then.rankBiserial) === side ? then : null))];
  const [p, sideP] = [all, ofSide].map((its) =>
    sequentialP(
      looks,
      its.map((then) => then?.p ?? null),
    ),
  ) as [number, number];
  return { p, sideP };
}

function compared(
  question: Question,
  { rounds, candidate, baseline }: Sides,
  cell: ComparedCell,
  family: Family,
  member: number,
  { looks, complete, margin, seed, resamples, only }: Judgement,
): Comparison {
  const level = rounds.level ?? alpha;
  const { p, takesPart, adjustedP, share, openShare } = family.of(member);
  const last = looks?.at(-1);
  const enoughRounds = minRoundsAt(level * openShare);
  // Only a planned look shows anything, each at its level.
  const nextLook = looks?.find((look) => look.rounds > rounds.numbers.length && minRoundsAt(look.level * openShare) <= look.rounds);
  const pairs = pairsOf(candidate, baseline);
  const comparison = compare(
    {
      ...{ ...question, candidateValues: candidate.values, baselineValues: baseline.values, pairs },
      outcomes: { candidate: candidate.failures, baseline: baseline.failures },
    },
    {
      ...{ level, shiftLevel: level * share, margin, seed, ...(resamples && { resamples }) },
      tellsQuantiles: question.confirmatory && only === undefined,
    },
  );
  if (comparison.signedRank !== null) Object.assign(comparison.signedRank, { familyP: takesPart ? p : null, adjustedP });
  const verdict = decide(comparison, {
    adjustment: family.adjustment,
    comparisons: family.size,
    planned: family.planned,
    looks: looks?.length ?? 1,
    level: alpha,
    minRounds: minRoundsAt(level * family.bestShare),
    soleRounds: minRoundsAt(level / family.planned),
    enoughRounds: pairs.length < enoughRounds ? (nextLook?.rounds ?? enoughRounds) : enoughRounds,
    tiedRounds: tiesOf(pairs),
    lostRounds: { candidate: lostOf(candidate), baseline: lostOf(baseline) },
    finishedRounds: rounds.numbers.length,
    notLoaded: complete ? notLoadedOf(cell, question) : null,
    modes: () => ({ candidate: modesOfLoads(candidate.values), baseline: modesOfLoads(baseline.values) }),
    linkDoubt: cell.linkDoubt,
    overrunShare: question.candidate === 'h3' ? overrunShare(cell) : 0,
    pageDoubts: pageDoubts(cell, rounds.places, { ...question, margin }),
    winnerLacks: () => winnerLacks(comparison, { rounds, candidate, baseline }, cell, family.of(member)),
    h3Shares: question.candidate === 'h3' || question.baseline === 'h3' ? h3Shares(cell, rounds.places) : null,
    unfinished: looks === null ? !complete : rounds.looks.length === 0,
    moreRounds: () => {
      const logs = question.confirmatory ? logRatios(pairs) : null;
      if (logs === null || !logs.every(Number.isFinite)) return null;
      return moreRounds(logs, {
        level: level * openShare,
        equivalenceLevel: level,
        margin,
        enoughRounds,
        last:
          last !== undefined && rounds.numbers.length < last.rounds
            ? { rounds: last.rounds, level: last.level * family.bestShare, equivalenceLevel: last.level }
            : null,
      });
    },
  });
  // The unpaired test is not corrected: without a difference it alone calls one cell of twenty to a hundred practical.
  return { ...comparison, practical: comparison.practical && namesWinner(verdict.outcome), verdict };
}

/**
 * Whether a winner owes its lead to objects that it lacked more often (`withoutLosses`). The level of its p stays the same, among other
 * comparisons and over several looks.
 *
 * @returns the doubt in words; null: it does not
 */
function winnerLacks(
  { signedRank, ...named }: Compared,
  { rounds, ...sides }: Sides,
  cell: ComparedCell,
  { sideP, share }: Judged,
): string | null {
  if (signedRank === null) return null;
  const [wins, loses] = signedRank.rankBiserial < 0 ? (['candidate', 'baseline'] as const) : (['baseline', 'candidate'] as const);
  const lost = lostAlone(cell, rounds.places, named);
  const whole = withoutLosses(sides[wins], sides[loses], { own: lost[wins], others: lost[loses] });
  if (whole === sides[wins]) return null;
  const test = pairedTest(pairsOf(whole, sides[loses]));
  // The smallest p of several looks says nothing about what the last one lacks.
  const ofLooks = signedRank.p === 0 ? 1 : Math.max(1, sideP / signedRank.p);
  const stillWins = test !== null && test.rankBiserial < 0 && test.p * ofLooks <= alpha * share;
  return stillWins ? null : lostWords(named[wins], lost[wins].length, lost.rounds);
}

/** Comparisons that are corrected together. */
interface Family {
  adjustment: Adjustment;
  size: number;
  planned: number;
  /** The best case for the level of a p, as a share: if all others are significant. */
  bestShare: number;
  of: (member: number) => Judged;
}

/** A comparison among the others. */
interface Judged {
  /** Over all its looks, uncorrected. */
  p: number;
  /** The same over the looks that favoured the side that is ahead now. */
  sideP: number;
  /** True if it is judged with the others. */
  takesPart: boolean;
  adjustedP: number;
  /** The level of its p, as a share: p is within it if adjustedP is within the level. */
  share: number;
  /** The same while it is not significant, given the others. */
  openShare: number;
}

/** The p of a comparison that takes no part is not corrected, and lies above the level; with more rounds it would be one of all planned ones. */
function familyOf(members: readonly Member[], adjustment: Adjustment): Family {
  const places = members.flatMap(({ counts }, place) => (counts ? [place] : []));
  const placeAmong = new Map(places.map((place, among) => [place, among]));
  const ps = places.map((place) => (members[place] as Member).p);
  const adjusted = adjustPValues(ps, adjustment);
  const significant = adjusted.filter((p) => p <= alpha).length;
  const [openShare, significantShare] = sharesOf(ps, significant, adjustment);
  const [plannedShare] =
    ps.length === members.length
      ? [openShare]
      : sharesOf(
          members.map(({ p }) => p),
          significant,
          adjustment,
        );
  return {
    adjustment,
    size: ps.length,
    planned: members.length,
    bestShare: adjustment === 'holm' ? 1 / members.length : 1,
    of: (member) => {
      const { p, sideP } = members[member] as Member;
      const among = placeAmong.get(member);
      if (among === undefined) return { p, sideP, takesPart: false, adjustedP: sideP, share: 1, openShare: plannedShare };
      // The factor for all looks' p is at least that of the level: the side's p is within the level only if it was named.
      const adjustedP = sideP === p ? (adjusted[among] as number) : Math.min(1, (adjusted[among] as number) * (sideP / p));
      return { p, sideP, takesPart: true, adjustedP, share: adjustedP <= alpha ? significantShare : openShare, openShare };
    },
  };
}

/**
 * The levels of a p that is not significant, and of one that is, as shares. Benjamini–Hochberg's are those of intervals of which on average at
 * most 5 % of the selected ones miss the truth (Benjamini & Yekutieli, "False discovery rate–adjusted multiple confidence intervals for selected
 * parameters", JASA 100, 2005).
 */
function sharesOf(ps: readonly number[], significant: number, adjustment: Adjustment): [open: number, significant: number] {
  if (ps.length === 0) return [1, 1];
  if (adjustment === 'hommel') {
    const share = 1 / Math.max(1, closedSimes(ps).mostNull(alpha));
    return [share, share];
  }
  const open = Math.max(1, ps.length - significant);
  if (adjustment === 'holm') return [1 / open, 1 / Math.min(ps.length, ps.length - significant + 1)];
  return [Math.min(ps.length, significant + 1) / ps.length, Math.max(1, significant) / ps.length];
}

/** The number of rounds in which no visit of a side counts. */
const lostOf = ({ failures }: Side): number => failures.reduce((lost, one) => lost + Number(Number.isNaN(one)), 0);

export function overrunShare({ slots }: ComparedCell): number {
  let [visits, overrun] = [0, 0];
  for (const { protocol, counted } of slots) {
    if (protocol !== 'h3') continue;
    visits += counted.valid;
    for (const count of counted.receiveDrops) if (count !== null && count > 0) overrun++;
  }
  return visits === 0 ? 0 : overrun / visits;
}

/** Whether a cell gets no more rounds: the campaign's question is answered, or the remaining rounds could hardly answer it. */
export function isSettled({
  comparisons,
  slots,
}: Pick<CellResults, 'comparisons'> & { slots: readonly Pick<SlotResults, 'valid'>[] }): boolean {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return true;
  const { outcome, moreRounds } = question.verdict;
  return isAnswer(outcome) || moreRounds?.givenUp === true || slots.some(({ valid }) => valid === 0);
}
