// What the visits of one protocol, and HTTP/3's lead over HTTP/2, differ by at one place of two campaigns, and what speaks against saying so.

import { bootstrapIntervals } from '../../math/bootstrap.ts';
import { medianInterval } from '../../math/median-interval.ts';
import { median } from '../../math/quantile.ts';
import type { ChangeOutcome, LeadChange, ProtocolChange } from '../../schemas/campaign-comparison.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { leadWords, protocolWords, type Told } from '../../text/change.ts';
import { counted, grouped, protocolName } from '../../text/numbers.ts';
import { estimateOf, logRatios, type Pair } from '../../verdict/comparison.ts';
import { failed } from '../../verdict/counted-visits.ts';
import { pairsOf } from '../../verdict/group-samples.ts';
import { deltaOfMedians } from '../../verdict/h3-delta.ts';
import { medianLost } from '../../verdict/parity.ts';
import { finiteOf, knownOrNull } from '../../verdict/summary.ts';
import { metricTitle } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { measurementDoubts, receiveDropsDoubt, relationDoubts } from '../gate/gate-doubts.ts';
import { type MeasuredGroup, type Measurements, valuesOf } from '../gate/measured-campaign.ts';
import type { Groups } from './compared-places.ts';
import { asShare, differenceOf, type Estimate, rankTest, shareOf, smallestP } from './two-samples.ts';

export type RankTest = ReturnType<typeof rankTest>;

/** One value for each round that has one. */
export const testOfProtocol = (groups: Groups, protocol: Protocol, metric: MetricName): RankTest => {
  const [values, before] = groups.map((group) => valuesOf(group.side(protocol, metric))) as [number[], number[]];
  return rankTest(values, before);
};

const leadPairs = (group: MeasuredGroup, metric: MetricName): Pair[] =>
  pairsOf(group.side('h3', metric), group.side('h2', metric)).filter(
    // Where both failed there is no lead.
    ({ candidate, baseline }) => candidate !== failed || baseline !== failed,
  );

/** Of the rounds' ratios. */
export const testOfLead = (groups: Groups, metric: MetricName): RankTest => {
  const [logs, before] = groups.map((group) => logRatios(leadPairs(group, metric)) ?? []) as [number[], number[]];
  return rankTest(logs, before);
};

/** What is known of a pair of samples before it is told. */
export interface Judged {
  /** Of the campaign and of the baseline, as all pairs here. */
  ids: readonly [string, string];
  states: readonly [Measurements['campaign']['state'], Measurements['campaign']['state']];
  told: Told;
  test: RankTest;
  adjustedP: number;
}

export function protocolChange(groups: Groups, protocol: Protocol, judged: Judged): ProtocolChange {
  const { told } = judged;
  const sides = groups.map((group) => group.side(protocol, told.metric));
  const [values, before] = sides.map(valuesOf) as [number[], number[]];
  const doubts = doubtsOf(groups, [protocol], [values.length, before.length], judged);
  const change = {
    protocol,
    campaign: sideOf(sides[0]?.values ?? [], told.confidence),
    baseline: sideOf(sides[1]?.values ?? [], told.confidence),
    difference: differenceOf(values, before, told.confidence),
    shift: values.length === 0 || before.length === 0 ? null : shareOf(values, before, told.confidence),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: protocolWords(change, [values.length, before.length], told) };
}

function sideOf(values: readonly number[], confidence: number): ProtocolChange['campaign'] {
  if (values.length === 0) return null;
  const interval = medianInterval(values, confidence);
  const orNull = (value: number | undefined) => (value === undefined ? null : knownOrNull(value));
  return {
    ...{ n: values.length, failed: values.length - finiteOf(values).length, median: knownOrNull(median(values)) },
    ...{ low: orNull(interval?.low), high: orNull(interval?.high) },
  };
}

/** @param seeds of the campaign and of the baseline, for the bootstrap. */
export function leadChange(groups: Groups, seeds: readonly [number, number], judged: Judged): LeadChange {
  const { told } = judged;
  const { metric } = told;
  const pairs = groups.map((group) => leadPairs(group, metric)) as [Pair[], Pair[]];
  const [logs, before] = pairs.map((its) => logRatios(its) ?? []) as [number[], number[]];
  const doubts = [...doubtsOf(groups, ['h3', 'h2'], [logs.length, before.length], judged), ...ratioDoubts(groups, pairs, judged)];
  const deltas = groups.map((group, i) => deltaOf(group, pairs[i] as Pair[], told, seeds[i] as number));
  const change = {
    campaign: deltas[0] ?? null,
    baseline: deltas[1] ?? null,
    rounds: pairs.map(({ length }) => length),
    change: asShare(differenceOf(logs, before, told.confidence)),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: leadWords(change, told) };
}

/** As results tell it: of all visits, with the interval of whole rounds. */
function deltaOf(group: MeasuredGroup, pairs: readonly Pair[], { metric, confidence }: Told, seed: number): Estimate | null {
  const [h3, h2] = [group.side('h3', metric).values, group.side('h2', metric).values];
  const value = h3.length === 0 || h2.length === 0 ? null : deltaOfMedians(median(h3), median(h2));
  if (value === null) return null;
  const ends = pairs.length === 0 ? null : (bootstrapIntervals(pairs, { seed, confidence })?.delta ?? null);
  return estimateOf(value, ends);
}

function verdictOf({ test, adjustedP, told: { level } }: Judged, doubts: ProtocolChange['doubts']) {
  const shown = test !== null && adjustedP <= level && test.rankBiserial !== 0 && doubts.length === 0;
  const outcome: ChangeOutcome = !shown ? 'undecided' : test.rankBiserial < 0 ? 'lower' : 'higher';
  return { mannWhitney: test && { ...test, adjustedP }, outcome, doubts };
}

/** What speaks against either campaign's visits, and whether there are enough of them to tell anything. */
function doubtsOf(
  groups: Groups,
  protocols: readonly Protocol[],
  sizes: readonly [number, number],
  { ids, states, told, test, adjustedP }: Judged,
): ProtocolChange['doubts'] {
  const slower = (test?.rankBiserial ?? 0) > 0 ? 0 : 1;
  const doubts = groups.flatMap((group, i) => {
    const [campaignId, state] = [ids[i] as string, states[i] as (typeof states)[number]];
    const counts = protocols.map((protocol) => ({ protocol, count: valuesOf(group.side(protocol, told.metric)).length }));
    const reasons = measurementDoubts(group, state, told.metric, counts);
    // What a full buffer lost makes h3 slower: it explains only why this campaign is the slower one.
    const drops = protocols.includes('h3') && slower === i ? receiveDropsDoubt(group) : null;
    const [candidate, baseline] = protocols;
    const unlike = candidate !== undefined && baseline !== undefined ? relationDoubts(group, candidate, baseline) : [];
    // What broke between two campaigns makes a page faster.
    const lost = slower === i ? [] : lostMore(group, groups[slower] as MeasuredGroup, protocols);
    return [...reasons, ...unlike, ...lost, ...(drops === null ? [] : [drops])].map(({ reason, words }) => ({
      campaignId,
      reason,
      words: `Campaign ${campaignId}: ${words}`,
    }));
  });
  // Holm asks less of what is not the smallest p: what reached the level was not too few for it.
  if (adjustedP > told.level && Math.min(...sizes) > 0 && smallestP(...sizes) * told.comparisons > told.level) {
    const words = `With ${grouped(sizes[0])} and ${counted(sizes[1], 'value')} no difference could reach the level among ${counted(told.comparisons, 'comparison')}.`;
    doubts.push({ campaignId: ids[sizes[0] <= sizes[1] ? 0 : 1], reason: 'too-few-rounds', words });
  }
  return doubts;
}

function lostMore(group: MeasuredGroup, other: MeasuredGroup, protocols: readonly Protocol[]): ReturnType<typeof relationDoubts> {
  return protocols.flatMap((protocol) => {
    const [its, others] = [group, other].map((one) => medianLost(one, one.rounds.places, protocol)) as [number, number];
    if (its <= others) return [];
    const words = `The median visit over ${protocolName(protocol)} lacked ${counted(its, 'object')}, in the other campaign ${others}: a page that lacks some loads faster.`;
    return [{ reason: 'parity' as const, words }];
  });
}

/** Why visits over both protocols have no ratio: no round has both, or one has a 0. */
function ratioDoubts(groups: Groups, pairs: readonly [Pair[], Pair[]], { ids, told: { metric } }: Judged): ProtocolChange['doubts'] {
  const [what, h3, h2] = [metricTitle(metric), protocolName('h3'), protocolName('h2')];
  return groups.flatMap((group, i): ProtocolChange['doubts'] => {
    const [campaignId, its] = [ids[i] as string, pairs[i] as Pair[]];
    const isMeasured = (['h3', 'h2'] as const).every((protocol) => valuesOf(group.side(protocol, metric)).length > 0);
    if (isMeasured && its.length === 0) {
      return [{ campaignId, reason: 'nothing-measured', words: `Campaign ${campaignId}: No round has ${what} over both ${h3} and ${h2}.` }];
    }
    const zeros = its.filter(({ candidate, baseline }) => candidate === 0 || baseline === 0).length;
    if (zeros === 0) return [];
    const words = `Campaign ${campaignId}: In ${grouped(zeros)} of ${counted(its.length, 'round')} ${what} is 0 over ${h3} or ${h2}, which has no ratio.`;
    return [{ campaignId, reason: 'no-ratio', words }];
  });
}
