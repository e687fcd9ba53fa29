// The change of one protocol, and of HTTP/3's lead over HTTP/2, in one cell of two campaigns, and the doubts about it.

import { bootstrapIntervals } from '../../math/bootstrap.ts';
import { hodgesLehmannShift } from '../../math/hodges-lehmann.ts';
import { mannWhitneyTest, smallestMannWhitneyP } from '../../math/mann-whitney.ts';
import { median, medianInterval } from '../../math/quantile.ts';
import type { ChangeOutcome, LeadChange, ProtocolChange } from '../../schemas/campaign-comparison.ts';
import type { Estimate } from '../../schemas/comparison.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { type ComparisonTerms, leadWords, protocolWords } from '../../text/change.ts';
import { counted, endsOf, estimatedValue, grouped, protocolName } from '../../text/numbers.ts';
import { pairsOf } from '../../verdict/cell-samples.ts';
import { asShareOf, estimateOf, logRatios, type Pair } from '../../verdict/comparison.ts';
import { failed } from '../../verdict/counted-visits.ts';
import { deltaOfMedians } from '../../verdict/h3-delta.ts';
import { medianLost } from '../../verdict/parity.ts';
import { finiteOf, knownOrNull } from '../../verdict/summary.ts';
import { metricTitle } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { measurementDoubts, receiveDropsDoubt, relationDoubts } from '../gate/gate-doubts.ts';
import { type FirstLookCell, type Measurements, valuesOf } from '../measured/measured.ts';
import type { CellPair } from './compare-campaigns.ts';

export type RankTest = ReturnType<typeof rankTest>;

/** The test of one value for each round that has one. */
export const testOfProtocol = (cells: CellPair, protocol: Protocol, metric: MetricName): RankTest => {
  const [values, before] = cells.map((cell) => valuesOf(cell.side(protocol, metric))) as [number[], number[]];
  return rankTest(values, before);
};

const leadPairs = (cell: FirstLookCell, metric: MetricName): Pair[] =>
  pairsOf(cell.side('h3', metric), cell.side('h2', metric)).filter(
    // If both failed there is no lead.
    ({ candidate, baseline }) => candidate !== failed || baseline !== failed,
  );

/** The test of the rounds' ratios. */
export const testOfLead = (cells: CellPair, metric: MetricName): RankTest => {
  const [logs, before] = cells.map((cell) => logRatios(leadPairs(cell, metric)) ?? []) as [number[], number[]];
  return rankTest(logs, before);
};

/** The facts of a pair of samples, for its sentence. */
interface Judged {
  /** Of the campaign and of the baseline, like all pairs here. */
  ids: readonly [string, string];
  states: readonly [Measurements['campaign']['state'], Measurements['campaign']['state']];
  /** Of the campaign whose margin is smaller. */
  margin: number;
  terms: ComparisonTerms;
  test: RankTest;
  adjustedP: number;
}

export function protocolChange(cells: CellPair, protocol: Protocol, judged: Judged): ProtocolChange {
  const { terms } = judged;
  const sides = cells.map((cell) => cell.side(protocol, terms.metric));
  const [values, before] = sides.map(valuesOf) as [number[], number[]];
  const doubts = doubtsOf(cells, [protocol], [values.length, before.length], judged);
  const change = {
    protocol,
    campaign: sideOf(sides[0]?.values ?? [], terms.confidence),
    baseline: sideOf(sides[1]?.values ?? [], terms.confidence),
    difference: differenceOf(values, before, terms.confidence),
    shift: values.length === 0 || before.length === 0 ? null : shareOf(values, before, terms.confidence),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: protocolWords(change, [values.length, before.length], terms) };
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
export function leadChange(cells: CellPair, seeds: readonly [number, number], judged: Judged): LeadChange {
  const { terms } = judged;
  const { metric } = terms;
  const pairs = cells.map((cell) => leadPairs(cell, metric)) as [Pair[], Pair[]];
  const [logs, before] = pairs.map((its) => logRatios(its) ?? []) as [number[], number[]];
  const doubts = [...doubtsOf(cells, ['h3', 'h2'], [logs.length, before.length], judged), ...ratioDoubts(cells, pairs, judged)];
  const deltas = cells.map((cell, i) => deltaOf(cell, pairs[i] as Pair[], terms, seeds[i] as number));
  const change = {
    campaign: deltas[0] ?? null,
    baseline: deltas[1] ?? null,
    rounds: pairs.map(({ length }) => length),
    change: asShare(differenceOf(logs, before, terms.confidence)),
    ...verdictOf(judged, doubts),
  };
  return { ...change, words: leadWords(change, terms) };
}

/** As in results: over all visits, with the interval over whole rounds. */
function deltaOf(cell: FirstLookCell, pairs: readonly Pair[], { metric, confidence }: ComparisonTerms, seed: number): Estimate | null {
  const [h3, h2] = [cell.side('h3', metric).values, cell.side('h2', metric).values];
  const value = h3.length === 0 || h2.length === 0 ? null : deltaOfMedians(median(h3), median(h2));
  if (value === null) return null;
  const ends = pairs.length === 0 ? null : (bootstrapIntervals(pairs, { seed, confidence })?.delta ?? null);
  return estimateOf(value, ends);
}

function verdictOf({ test, adjustedP, terms: { level } }: Judged, doubts: ProtocolChange['doubts']) {
  const shown = test !== null && adjustedP <= level && test.rankBiserial !== 0 && doubts.length === 0;
  const outcome: ChangeOutcome = !shown ? 'undecided' : test.rankBiserial < 0 ? 'lower' : 'higher';
  return { mannWhitney: test && { ...test, adjustedP }, outcome, doubts };
}

/** Doubts about either campaign's visits, and whether there are enough of them. */
function doubtsOf(
  cells: CellPair,
  protocols: readonly Protocol[],
  sizes: readonly [number, number],
  { ids, states, margin, terms, test, adjustedP }: Judged,
): ProtocolChange['doubts'] {
  const slower = (test?.rankBiserial ?? 0) > 0 ? 0 : 1;
  const doubts = cells.flatMap((cell, i) => {
    const [campaignId, state] = [ids[i] as string, states[i] as (typeof states)[number]];
    const counts = protocols.map((protocol) => ({ protocol, count: valuesOf(cell.side(protocol, terms.metric)).length }));
    const reasons = measurementDoubts(cell, state, terms.metric, counts);
    // A full buffer slows h3 down: it explains only why this campaign is the slower one.
    const drops = protocols.includes('h3') && slower === i ? receiveDropsDoubt(cell) : null;
    const [candidate, baseline] = protocols;
    const unlike = candidate !== undefined && baseline !== undefined ? relationDoubts(cell, { candidate, baseline, margin }) : [];
    // Breakage between two campaigns makes a page faster.
    const lost = slower === i ? [] : lostMore(cell, cells[slower] as FirstLookCell, protocols);
    return [...reasons, ...unlike, ...lost, ...(drops === null ? [] : [drops])].map(({ reason, words }) => ({
      campaignId,
      reason,
      words: `Campaign ${campaignId}: ${words}`,
    }));
  });
  // Holm demands less of all but the smallest p: a value that reached the level had enough rounds.
  if (adjustedP > terms.level && Math.min(...sizes) > 0 && smallestMannWhitneyP(...sizes) * terms.comparisons > terms.level) {
    const words = `With ${grouped(sizes[0])} and ${counted(sizes[1], 'value')} no difference could reach the level among ${counted(terms.comparisons, 'comparison')}.`;
    doubts.push({ campaignId: ids[sizes[0] <= sizes[1] ? 0 : 1], reason: 'too-few-rounds', words });
  }
  return doubts;
}

function lostMore(cell: FirstLookCell, other: FirstLookCell, protocols: readonly Protocol[]): ReturnType<typeof relationDoubts> {
  return protocols.flatMap((protocol) => {
    const [its, others] = [cell, other].map((one) => medianLost(one, one.rounds.places, protocol)) as [number, number];
    if (its <= others) return [];
    const words = `The median visit over ${protocolName(protocol)} lacked ${counted(its, 'object')}, in the other campaign ${others}: a page with missing objects loads faster.`;
    return [{ reason: 'parity' as const, words }];
  });
}

/** Why visits over both protocols have no ratio: no round has both, or a value is 0. */
function ratioDoubts(cells: CellPair, pairs: readonly [Pair[], Pair[]], { ids, terms: { metric } }: Judged): ProtocolChange['doubts'] {
  const [what, h3, h2] = [metricTitle(metric), protocolName('h3'), protocolName('h2')];
  return cells.flatMap((cell, i): ProtocolChange['doubts'] => {
    const [campaignId, its] = [ids[i] as string, pairs[i] as Pair[]];
    const isMeasured = (['h3', 'h2'] as const).every((protocol) => valuesOf(cell.side(protocol, metric)).length > 0);
    if (isMeasured && its.length === 0) {
      return [{ campaignId, reason: 'nothing-measured', words: `Campaign ${campaignId}: No round has ${what} over both ${h3} and ${h2}.` }];
    }
    const zeros = its.filter(({ candidate, baseline }) => candidate === 0 || baseline === 0).length;
    if (zeros === 0) return [];
    const words = `Campaign ${campaignId}: In ${grouped(zeros)} of ${counted(its.length, 'round')} ${what} is 0 over ${h3} or ${h2}, which has no ratio.`;
    return [{ campaignId, reason: 'no-ratio', words }];
  });
}

type MannWhitney = NonNullable<ProtocolChange['mannWhitney']>;

/** Without correction: adjustedP is p until it is corrected. Null if a sample is empty. */
function rankTest(values: readonly number[], baseline: readonly number[]): MannWhitney | null {
  if (values.length === 0 || baseline.length === 0) return null;
  const { p, rankBiserial, rankBiserialCategory: category, method } = mannWhitneyTest(values, baseline);
  return { p, adjustedP: p, rankBiserial, category, method };
}

/** How far the values lie above the baseline, in their unit, with the interval of `rankTest`. */
function differenceOf(values: readonly number[], baseline: readonly number[], confidence: number): Estimate | null {
  if (values.length === 0 || baseline.length === 0) return null;
  const { estimate, interval } = hodgesLehmannShift(values, baseline, confidence);
  return Number.isNaN(estimate) ? null : estimateOf(estimate, interval);
}

/** The difference as a share of the baseline; null if a value is 0 and has no logarithm. */
function shareOf(values: readonly number[], baseline: readonly number[], confidence: number): Estimate | null {
  if ([...values, ...baseline].some((value) => value <= 0)) return null;
  return asShare(differenceOf(values.map(Math.log), baseline.map(Math.log), confidence));
}

/** From a difference of logarithms. */
function asShare(estimate: Estimate | null): Estimate | null {
  if (estimate === null) return null;
  const ends = endsOf(estimate);
  return estimateOf(asShareOf(estimatedValue(estimate)), ends && { low: asShareOf(ends[0]), high: asShareOf(ends[1]) });
}
