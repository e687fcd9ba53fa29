// All comparisons of a campaign: which there are, their correction for one another, and their verdicts.
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { GroupResults, SlotResults } from '../schemas/results.ts';
import type { Protocol } from '../schemas/vocabulary.ts';
import { type Adjustment, adjustPValues } from './adjust.ts';
import { type Compared, compare, logRatios, pairedTest } from './comparison.ts';
import { fewestRounds } from './doubts.ts';
import { type ComparedGroup, pairsOf, type Rounds, roundsOf, type Side, sideOf, withoutLosses } from './group-samples.ts';
import { findModes, type Modes } from './modes.ts';
import { h3Shares, lostAlone, lostWords, pageDoubts } from './parity.ts';
import { roundsToSettle } from './power.ts';
import { type Question, questionsOf } from './questions.ts';
import { type Look, sequentialP } from './sequential.ts';
import { finiteOf } from './summary.ts';
import { decide } from './verdict.ts';

/** How a campaign's comparisons are judged; all of it fixed before its first round. */
export interface Judgement {
  primaryMetric: MetricName;
  margin: number;
  adjustment: Adjustment;
  seed: number;
  /** Of the bootstrap, which no verdict depends on: simulations of verdicts take fewer. */
  resamples?: number;
  /** Of a campaign that goes on until it is settled; null: one look, after all rounds. */
  looks: readonly Look[] | null;
  /** Whether all planned rounds had their turn. */
  complete: boolean;
  /** Only the campaign's question: what a summary shows and decides on more rounds. Its correction stays the same. */
  only?: 'confirmatory';
}

/** A verdict's level for a campaign, over all its looks. */
export const alpha = 0.05;

/**
 * The comparisons of all groups of a campaign, in the order of the groups; each group's are made when they are asked for, since those of
 * a large campaign take hundreds of megabytes.
 *
 * Those of one metric and one pair of protocols are a family, corrected together over all sites, conditions and views. The
 * family of the primary metric, h3 against h2, answers the campaign's question; the others explore, each by itself.
 */
export function* compareGroups(groups: readonly ComparedGroup[], judgement: Judgement): Generator<Comparison[]> {
  const protocols = new Set(groups.flatMap(({ slots }) => slots.map(({ protocol }) => protocol)));
  const questions = questionsOf(protocols, judgement.primaryMetric).filter(
    ({ confirmatory }) => confirmatory || judgement.only === undefined,
  );
  // The p-values of all first, since each comparison's verdict takes those of its family.
  const ps = groups.map((group) => {
    const sides = sidesOf(group, judgement);
    return questions.map((question) => pOf(sides(question), judgement.looks));
  });
  const families = questions.map((_, place) =>
    familyOf(
      ps.map((ofGroup) => ofGroup[place] ?? null),
      judgement.adjustment,
    ),
  );
  for (const [member, group] of groups.entries()) {
    const sides = sidesOf(group, judgement);
    yield questions.map((question, place) => compared(question, sides(question), group, families[place] as Family, member, judgement));
  }
}

/** The two sides of a question, and the rounds that count. */
interface Sides {
  rounds: Rounds;
  candidate: Side;
  baseline: Side;
}

/** Of a group; each protocol's side is made once for each metric. */
function sidesOf(group: ComparedGroup, { looks, complete }: Judgement): (question: Question) => Sides {
  const rounds = roundsOf(group, looks, complete);
  const made = new Map<string, Side>();
  const sideFor = (protocol: Protocol, metric: MetricName): Side => {
    const name = `${protocol} ${metric}`;
    const side = made.get(name) ?? sideOf(group, rounds, protocol, metric);
    made.set(name, side);
    return side;
  };
  return ({ metric, candidate, baseline }) => ({ rounds, candidate: sideFor(candidate, metric), baseline: sideFor(baseline, metric) });
}

/** Of a comparison by itself, over all its looks; null where it has nothing to test. */
function pOf({ rounds, candidate, baseline }: Sides, looks: readonly Look[] | null): number | null {
  const test = pairedTest(pairsOf(candidate, baseline));
  if (looks === null || test === null) return test?.p ?? null;
  const ps = rounds.looks.map((look) => {
    const then = pairedTest(pairsOf(candidate, baseline, rounds.numbers.filter((number) => number <= look.rounds).length));
    // A look that spoke for the other side is none for the side that is ahead now.
    return then !== null && Math.sign(then.rankBiserial) === Math.sign(test.rankBiserial) ? then.p : null;
  });
  return sequentialP(looks, ps);
}

function compared(
  question: Question,
  { rounds, candidate, baseline }: Sides,
  group: ComparedGroup,
  family: Family,
  member: number,
  { looks, complete, margin, seed, resamples }: Judgement,
): Comparison {
  const level = rounds.level ?? alpha;
  const pairs = pairsOf(candidate, baseline);
  const found = compare(
    {
      ...{ ...question, candidateValues: candidate.values, baselineValues: baseline.values, pairs },
      outcomes: { candidate: candidate.failures, baseline: baseline.failures },
    },
    { level, margin, seed, ...(resamples && { resamples }) },
  );
  if (found.signedRank !== null) found.signedRank.adjustedP = family.adjusted[member] as number;
  const verdict = decide(found, {
    comparisons: family.adjusted.length,
    looks: looks?.length ?? 1,
    level: alpha,
    fewestRounds: fewestRounds(level * family.smallestShare),
    lostRounds: { candidate: lostOf(candidate), baseline: lostOf(baseline) },
    finishedRounds: rounds.numbers.length,
    modes: () => ({ candidate: modesOf(candidate.values), baseline: modesOf(baseline.values) }),
    linkDoubt: group.linkDoubt,
    overrunShare: question.candidate === 'h3' ? overrunShare(group) : 0,
    pageDoubts: pageDoubts(group, rounds.places, question),
    winnerLacks: () => winnerLacks(found, { rounds, candidate, baseline }, group, family.adjusted.length),
    h3Shares: question.candidate === 'h3' || question.baseline === 'h3' ? h3Shares(group, rounds.places) : null,
    unfinished: looks === null ? !complete : rounds.looks.length === 0,
    moreRounds: () => {
      const logs = question.confirmatory ? logRatios(pairs) : null;
      if (logs === null || !logs.every(Number.isFinite)) return null;
      return roundsToSettle(logs, { alpha: level * family.nextShare, equivalenceAlpha: level, margin })?.more ?? null;
    },
  });
  return { ...found, verdict };
}

/**
 * Whether a winner owes it to objects that it lacked more often (`withoutLosses`). The correction for other comparisons and looks is taken over as the
 * factor that it was.
 *
 * @returns in words, or null: it does not
 */
function winnerLacks(
  { signedRank, ...named }: Compared,
  { rounds, ...sides }: Sides,
  group: ComparedGroup,
  comparisons: number,
): string | null {
  if (signedRank === null) return null;
  const [wins, loses] = signedRank.rankBiserial < 0 ? (['candidate', 'baseline'] as const) : (['baseline', 'candidate'] as const);
  const lost = lostAlone(group, rounds.places, named);
  const whole = withoutLosses(sides[wins], sides[loses], { own: lost[wins], others: lost[loses] });
  if (whole === sides[wins]) return null;
  const test = pairedTest(pairsOf(whole, sides[loses]));
  // The least p of several looks says nothing of what the last one lacks.
  const correction = signedRank.p === 0 ? comparisons : Math.max(1, signedRank.adjustedP / signedRank.p);
  const stillWins = test !== null && test.rankBiserial < 0 && test.p * correction <= alpha;
  return stillWins ? null : lostWords(named[wins], lost[wins].length, lost.rounds);
}

/** Comparisons that are corrected together. */
interface Family {
  adjusted: number[];
  /** The p that one more comparison would need, as a share of its level, given those that are significant already. */
  nextShare: number;
  /** The least p that the smallest of them needs, as a share of its level. */
  smallestShare: number;
}

/**
 * @param ps null counts as 1: a family is as large as it was planned, or a winner that is named while the others have no rounds yet
 *   would have to be taken back.
 */
function familyOf(ps: readonly (number | null)[], adjustment: Adjustment): Family {
  const adjusted = adjustPValues(
    ps.map((p) => p ?? 1),
    adjustment,
  );
  const significant = Math.min(ps.length - 1, adjusted.filter((p) => p <= alpha).length);
  return adjustment === 'holm'
    ? { adjusted, nextShare: 1 / (ps.length - significant), smallestShare: 1 / ps.length }
    : { adjusted, nextShare: (significant + 1) / ps.length, smallestShare: 1 };
}

/** Of the loads that have a time. */
const modesOf = (values: readonly number[]): Modes | null => {
  const finite = finiteOf(values);
  return finite.length === 0 ? null : findModes(finite);
};

/** Rounds in which no visit of a side counts. */
const lostOf = ({ failures }: Side): number => failures.reduce((lost, one) => lost + Number(Number.isNaN(one)), 0);

export function overrunShare({ slots }: ComparedGroup): number {
  let [visits, overrun] = [0, 0];
  for (const { protocol, counted } of slots) {
    if (protocol !== 'h3') continue;
    visits += counted.valid;
    for (const count of counted.receiveDrops) if (count !== null && count > 0) overrun++;
  }
  return visits === 0 ? 0 : overrun / visits;
}

/** Whether more rounds of a group could still answer the campaign's question. */
export function isSettled({
  comparisons,
  slots,
}: Pick<GroupResults, 'comparisons'> & { slots: readonly Pick<SlotResults, 'valid'>[] }): boolean {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return true;
  return question.verdict.outcome !== 'inconclusive' || slots.some(({ valid }) => valid === 0);
}
