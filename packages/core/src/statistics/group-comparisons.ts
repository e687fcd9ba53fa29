// All comparisons of a campaign: which there are, their correction for one another, and their verdicts.
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { GroupResults } from '../schemas/results.ts';
import type { Protocol } from '../schemas/vocabulary.ts';
import { type Adjustment, adjustPValues } from './adjust.ts';
import { type Compared, compare, logRatios, pairedTest, type Samples } from './comparison.ts';
import { fewestRounds } from './doubts.ts';
import { type ComparedGroup, pairsOf, type Rounds, roundsOf, type Side, sideOf } from './group-samples.ts';
import { findModes, type Modes } from './modes.ts';
import { roundsToSettle } from './power.ts';
import { type Look, sequentialP } from './sequential.ts';
import { decide, type Tries } from './verdict.ts';

export type { ComparedGroup, SlotVisits } from './group-samples.ts';

/** How a campaign's comparisons are judged; all of it fixed before its first round. */
export interface Judgement {
  primaryMetric: MetricName;
  margin: number;
  adjustment: Adjustment;
  seed: number;
  /** Of a campaign that goes on until it is settled; null: one look, after all rounds. */
  looks: readonly Look[] | null;
  /** Whether all planned rounds had their turn. */
  complete: boolean;
}

/** A verdict's level for a campaign, over all its looks. */
export const alpha = 0.05;

/** Metrics that are times, of which lower is better. */
const times = [
  ...['onLoad', 'loadEventEnd', 'domContentLoaded', 'ttfb', 'firstPaint', 'firstContentfulPaint', 'largestContentfulPaint'],
  ...['speedIndex', 'firstVisualChange', 'lastVisualChange', 'totalBlockingTime', 'linkedDownload'],
] as const satisfies readonly MetricName[];
const isTime = (metric: MetricName) => (times as readonly MetricName[]).includes(metric);

/** Compared beside the primary metric. */
const alwaysCompared = ['onLoad', 'speedIndex', 'largestContentfulPaint'] as const satisfies readonly MetricName[];

/** The newer one is the candidate. */
const pairsOfProtocols: readonly [candidate: Protocol, baseline: Protocol][] = [
  ['h3', 'h2'],
  ['h3', 'h1'],
  ['h2', 'h1'],
];

/** Of sites × conditions × views: how many comparisons answer a campaign's question, h3 against h2 on its primary metric. */
export function confirmatoryComparisons(protocols: readonly Protocol[], groups: number): number {
  return protocols.includes('h3') && protocols.includes('h2') ? groups : 0;
}

/**
 * The comparisons of all groups of a campaign, in the order of the groups.
 *
 * Those of one metric and one pair of protocols are a family, corrected together over all sites, conditions and views. The
 * family of the primary metric, h3 against h2, answers the campaign's question; the others explore, each by itself.
 */
export function compareGroups(groups: readonly ComparedGroup[], judgement: Judgement): Comparison[][] {
  const protocols = new Set(groups.flatMap(({ slots }) => slots.map(({ protocol }) => protocol)));
  const questions = questionsOf(protocols, judgement.primaryMetric);
  const compared = groups.map((group) => compareGroup(group, questions, judgement));
  const families = new Map(
    [...Map.groupBy(compared.flat(), ({ question }) => question)].map(([question, family]) => [
      question,
      corrected(family, judgement.adjustment),
    ]),
  );
  return compared.map((ofGroup) => ofGroup.map((one) => withVerdict(one, families.get(one.question) as Family, judgement)));
}

/** What is asked of every group; all answers to one question are a family. */
type Question = Pick<Samples, 'metric' | 'candidate' | 'baseline' | 'confirmatory'>;

function questionsOf(protocols: ReadonlySet<Protocol>, primaryMetric: MetricName): Question[] {
  const metrics = [...new Set([primaryMetric, ...alwaysCompared])].filter(isTime);
  return pairsOfProtocols
    .filter((pair) => pair.every((protocol) => protocols.has(protocol)))
    .flatMap(([candidate, baseline]) =>
      metrics.map((metric) => {
        const confirmatory = metric === primaryMetric && candidate === 'h3' && baseline === 'h2';
        return { metric, candidate, baseline, confirmatory };
      }),
    );
}

interface One {
  group: ComparedGroup;
  rounds: Rounds;
  question: Question;
  compared: Compared;
}

function compareGroup(group: ComparedGroup, questions: readonly Question[], judgement: Judgement): One[] {
  const rounds = roundsOf(group, judgement.looks, judgement.complete);
  const sides = new Map<string, Side>();
  const sideFor = (protocol: Protocol, metric: MetricName): Side => {
    const name = `${protocol} ${metric}`;
    const side = sides.get(name) ?? sideOf(group, rounds, protocol, metric);
    sides.set(name, side);
    return side;
  };
  return questions.map((question) => {
    const both = { candidate: sideFor(question.candidate, question.metric), baseline: sideFor(question.baseline, question.metric) };
    return { group, rounds, question, compared: compareOne(question, both, rounds, judgement) };
  });
}

function compareOne(
  question: Question,
  { candidate, baseline }: { candidate: Side; baseline: Side },
  { numbers, level, looks: taken }: Rounds,
  { margin, seed, looks }: Judgement,
): Compared {
  const compared = compare(
    { ...question, candidateValues: candidate.values, baselineValues: baseline.values, pairs: pairsOf(candidate, baseline) },
    { level: level ?? alpha, margin, seed },
  );
  const { signedRank } = compared;
  if (looks === null || signedRank === null) return compared;
  // A look that spoke for the other side is none for the side that is ahead now.
  const ps = taken.map(({ rounds }) => {
    const test = pairedTest(pairsOf(candidate, baseline, numbers.filter((number) => number <= rounds).length));
    return test !== null && Math.sign(test.rankBiserial) === Math.sign(signedRank.rankBiserial) ? test.p : null;
  });
  return { ...compared, signedRank: { ...signedRank, adjustedP: sequentialP(looks, ps) } };
}

/** Comparisons that are corrected together. */
interface Family {
  comparisons: number;
  /** The p that one more comparison would need, as a share of its level, given those that are significant already. */
  nextShare: number;
  /** The least p that the smallest of them needs, as a share of its level. */
  smallestShare: number;
}

/**
 * Puts the adjusted p-values into the comparisons. One that has nothing to test counts as p = 1: a family is as large as it was planned,
 * or a winner that is named while the others have no rounds yet would have to be taken back.
 */
function corrected(family: readonly One[], adjustment: Adjustment): Family {
  const adjusted = adjustPValues(
    family.map(({ compared }) => compared.signedRank?.adjustedP ?? 1),
    adjustment,
  );
  for (const [i, { compared }] of family.entries()) if (compared.signedRank !== null) compared.signedRank.adjustedP = adjusted[i] as number;
  const comparisons = family.length;
  const significant = Math.min(comparisons - 1, adjusted.filter((p) => p <= alpha).length);
  return adjustment === 'holm'
    ? { comparisons, nextShare: 1 / (comparisons - significant), smallestShare: 1 / comparisons }
    : { comparisons, nextShare: (significant + 1) / comparisons, smallestShare: 1 };
}

function withVerdict({ group, rounds, compared }: One, family: Family, { looks, complete, margin }: Judgement): Comparison {
  // Made anew where one is asked for: to keep those of all comparisons takes longer.
  const side = (which: 'candidate' | 'baseline') => sideOf(group, rounds, compared[which], compared.metric);
  const level = rounds.level ?? alpha;
  const verdict = decide(compared, {
    comparisons: family.comparisons,
    looks: looks?.length ?? 1,
    level: alpha,
    fewestRounds: fewestRounds(level * family.smallestShare),
    visits: { candidate: triesOf(group, compared.candidate), baseline: triesOf(group, compared.baseline) },
    finishedRounds: rounds.numbers.length,
    modes: () => ({ candidate: modesOf(side('candidate').values), baseline: modesOf(side('baseline').values) }),
    linkDoubt: group.linkDoubt,
    overrunShare: compared.candidate === 'h3' ? overrunShare(group) : 0,
    unfinished: looks === null ? !complete : rounds.looks.length === 0,
    moreRounds: () => {
      const logs = compared.confirmatory ? logRatios(pairsOf(side('candidate'), side('baseline'))) : null;
      if (logs === null) return null;
      return roundsToSettle(logs, { alpha: level * family.nextShare, equivalenceAlpha: level, margin })?.more ?? null;
    },
  });
  return Object.assign(compared, { verdict });
}

const modesOf = (values: readonly number[]): Modes | null => (values.length === 0 ? null : findModes(values));

/** A busy machine says nothing about the page or the protocol. */
function triesOf({ slots }: ComparedGroup, protocol: Protocol): Tries {
  const tries = { invalid: 0, all: 0 };
  for (const slot of slots) {
    if (slot.protocol !== protocol) continue;
    for (const [reason, count] of slot.invalid) if (reason !== 'busy-machine') tries.invalid += count;
    tries.all += slot.valid.count;
  }
  tries.all += tries.invalid;
  return tries;
}

function overrunShare({ slots }: ComparedGroup): number {
  let [visits, overrun] = [0, 0];
  for (const { protocol, valid } of slots) {
    if (protocol !== 'h3') continue;
    visits += valid.count;
    for (const count of valid.receiveDrops) if (count !== null && count > 0) overrun++;
  }
  return visits === 0 ? 0 : overrun / visits;
}

/** Whether more rounds of a group could still answer the campaign's question. */
export function isSettled({ comparisons, slots }: Pick<GroupResults, 'comparisons' | 'slots'>): boolean {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (question === undefined) return true;
  return question.verdict.outcome !== 'inconclusive' || slots.some(({ valid }) => valid === 0);
}
