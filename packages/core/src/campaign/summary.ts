import { closedSimes } from '../math/adjust.ts';
import { median } from '../math/quantile.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { CellResults, SlotResults } from '../schemas/results.ts';
import type { CampaignSummary, CellAnswer, ConditionOverview, Differing } from '../schemas/summary.ts';
import { confidenceWords, counted, grouped, protocolName } from '../text/numbers.ts';
import { candidateDifference } from '../text/verdict.ts';
import { alpha } from '../verdict/cell-comparisons.ts';
import { outcomesOf, pairsOf, roundsOf, sideOf } from '../verdict/cell-samples.ts';
import { failureRate } from '../verdict/failures.ts';
import { deltaOfMedians } from '../verdict/h3-delta.ts';
import { knownOrNull } from '../verdict/summary.ts';
import { notLoaded, reasonCounts } from '../verdict/unmeasured.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import { type DeltaOfSite, deltaDistribution, noiseBeyond } from './across/delta-distribution.ts';
import { campaignCaveats } from './caveats.ts';
import { type AnsweredCell, answerQuestion, type MeasuredCampaign } from './measured/measured.ts';

/**
 * A summary without the campaign's state: the visits of finished rounds, H3-Delta over sites and verdicts for each condition and view, and
 * the answer to the campaign's question for each cell. Parameters as for `answerQuestion`.
 */
export function campaignSummary(measured: MeasuredCampaign, complete: boolean): Omit<CampaignSummary, 'asOf' | 'state' | 'progress'> {
  const { campaign } = measured;
  const { primaryMetric, conditions, views } = campaign.spec;
  let [valid, failed] = [0, 0];
  const invalid = new Map<InvalidReason, number>();
  const answers: CellAnswer[] = [];
  const deltas = new Map<CellAnswer, DeltaOfSite>();
  const comparisons: Comparison[] = [];
  for (const cell of answerQuestion(measured, { complete })) {
    for (const slot of cell.slots) {
      valid += slot.counted.valid;
      failed += slot.counted.failed;
      for (const [reason, count] of slot.invalid) invalid.set(reason, (invalid.get(reason) ?? 0) + count);
    }
    const answer = answerOf(cell, primaryMetric);
    answers.push(answer);
    deltas.set(answer, deltaOf(cell, answer, campaign.spec));
    if (cell.comparison !== null) comparisons.push(cell.comparison);
  }
  const overview = conditions.flatMap(({ name: condition }) =>
    views.map((view): ConditionOverview => {
      const its = answers.filter((answer) => answer.condition === condition && answer.view === view);
      const outcomes = Map.groupBy(
        its.flatMap(({ comparison }) => comparison ?? []),
        ({ outcome }) => outcome,
      );
      return {
        condition,
        view,
        delta: deltaDistribution(its.map((answer) => deltas.get(answer) as DeltaOfSite)),
        outcomes: [...outcomes].map(([outcome, all]) => ({ outcome, count: all.length })).sort((a, b) => b.count - a.count),
      };
    }),
  );
  return {
    campaignId: campaign.id,
    primaryMetric,
    visits: { valid, failed, invalid: reasonCounts(invalid) },
    notLoaded: campaign.sites.flatMap(({ id }) => siteNotLoaded(id, answers)),
    caveats: campaignCaveats(measured),
    differing: differing(comparisons, campaign),
    overview,
    cells: answers,
  };
}

/** If a campaign has looks, the interval covers the rounds until its last look. */
function deltaOf(cell: AnsweredCell, { h3Delta, comparison }: CellAnswer, { primaryMetric, seed }: Campaign['spec']): DeltaOfSite {
  const { low = null, high = null } = comparison?.delta ?? {};
  const rounds = roundsOf(cell, null, true);
  const side = (protocol: Protocol) => sideOf(cell, rounds, protocol, primaryMetric);
  return {
    delta: h3Delta,
    interval: low === null || high === null ? null : { low, high },
    noise: h3Delta === null ? null : noiseBeyond(pairsOf(side('h3'), side('h2')), seed),
  };
}

function siteNotLoaded(siteId: string, answers: readonly CellAnswer[]): CampaignSummary['notLoaded'] {
  const its = answers.filter((answer) => answer.siteId === siteId);
  const reasons = notLoaded(its.map(({ visits, ...answer }) => ({ valid: visits.valid, invalid: answer.notLoaded?.reasons ?? [] })));
  return reasons === null ? [] : [{ siteId, words: reasons.words }];
}

function answerOf(cell: AnsweredCell, metric: MetricName): CellAnswer {
  const { siteId, condition, view, slots, comparison } = cell;
  const medians: CellAnswer['medians'] = {};
  const failures: CellAnswer['failures'] = {};
  const known: Partial<Record<Protocol, number>> = {};
  for (const [protocol, its] of Map.groupBy(slots, (slot) => slot.protocol)) {
    const sample = its.flatMap((slot) => slot.counted.sampleOf(metric));
    const sum = (count: (slot: (typeof its)[number]) => number) => its.reduce((all, slot) => all + count(slot), 0);
    failures[protocol] = failureRate(
      sum(({ counted }) => counted.failed),
      sum(({ counted }) => counted.count),
    );
    if (sample.length === 0) continue;
    known[protocol] = median(sample);
    medians[protocol] = knownOrNull(known[protocol]);
  }
  const invalid = slots.reduce((sum, slot) => sum + [...slot.invalid.values()].reduce((all, count) => all + count, 0), 0);
  return {
    siteId,
    condition,
    view,
    visits: {
      valid: slots.reduce((sum, { counted }) => sum + counted.valid, 0),
      failed: slots.reduce((sum, { counted }) => sum + counted.failed, 0),
      invalid,
    },
    notLoaded: notLoaded(slots.map(outcomesOf)),
    medians,
    failures,
    h3Delta: known.h3 === undefined || known.h2 === undefined ? null : deltaOfMedians(known.h3, known.h2),
    comparison: comparison && answerOfComparison(comparison),
  };
}

const answerOfComparison = (comparison: Comparison): NonNullable<CellAnswer['comparison']> => ({
  outcome: comparison.verdict.outcome,
  ahead: aheadIn(comparison),
  words: comparison.verdict.words,
  doubts: comparison.verdict.doubts.map(({ doubt }) => doubt),
  difference: candidateDifference(comparison),
  rounds: comparison.rounds,
  failures: comparison.failures,
  delta: comparison.delta,
  shift: comparison.shift,
  shiftAtMedian: comparison.shiftAtMedian,
  shiftConfidence: comparison.shiftConfidence,
  confidence: comparison.confidence,
  p: comparison.signedRank?.p ?? null,
  adjustedP: comparison.signedRank?.adjustedP ?? null,
  moreRounds: comparison.verdict.moreRounds,
});

function aheadIn({ signedRank, candidate, baseline }: Comparison): Protocol | null {
  const side = signedRank?.rankBiserial ?? 0;
  return side === 0 ? null : side < 0 ? candidate : baseline;
}

/**
 * The answer of a cell on any metric, from its results: HTTP/3 against HTTP/2 with a verdict where the campaign compares them on it, else
 * with medians alone.
 */
export function answerFromResults({ slots, comparisons, h3Delta, ...cell }: CellResults, metric: MetricName): CellAnswer {
  const compared = comparisons.find((one) => one.metric === metric && one.candidate === 'h3' && one.baseline === 'h2');
  const medians: CellAnswer['medians'] = {};
  const failures: CellAnswer['failures'] = {};
  const sum = (count: (slot: SlotResults) => number) => slots.reduce((all, slot) => all + count(slot), 0);
  for (const { protocol, metrics, failures: rate } of slots) {
    // Of two slots of one protocol the first stands for both: there is nothing to compare.
    failures[protocol] ??= rate;
    if (metrics[metric]) medians[protocol] ??= metrics[metric].median;
  }
  return {
    ...{ siteId: cell.siteId, condition: cell.condition, view: cell.view, notLoaded: cell.notLoaded, medians, failures },
    visits: {
      valid: sum(({ valid }) => valid),
      failed: sum(({ failures: { failed } }) => failed),
      invalid: sum(({ invalid }) => invalid.reduce((all, { count }) => all + count, 0)),
    },
    h3Delta: h3Delta[metric] ?? null,
    comparison: compared === undefined ? null : answerOfComparison(compared),
  };
}

/** Fewer cells are read one by one. */
const minComparisons = 10;

/**
 * The bound of closed testing with Simes' test over a campaign's question (`closedSimes`): right in 95 % of campaigns, whichever cells are
 * chosen after a look at the data. So cells with doubts are left out, and cells that are shown to differ by less than the margin.
 *
 * @param comparisons that answer the question, one for each cell
 * @returns null for fewer than ten comparisons, if nothing can be said, and with Holm's correction, because the bound relies on an
 *   assumption that Holm's does not make
 */
export function differing(
  comparisons: readonly Pick<Comparison, 'metric' | 'candidate' | 'baseline' | 'signedRank' | 'verdict'>[],
  { spec, sites }: Pick<Campaign, 'spec' | 'sites'>,
): Differing | null {
  const [first] = comparisons;
  if (first === undefined || comparisons.length < minComparisons || spec.adjustment === 'holm') return null;
  const family = comparisons.flatMap(({ signedRank, verdict }) => {
    const p = signedRank?.familyP ?? null;
    const counts = verdict.outcome !== 'equivalent' && verdict.doubts.every(({ doubt }) => doubt === 'too-few-rounds');
    return p === null ? [] : [{ p, counts }];
  });
  const chosen = family.flatMap(({ counts }, i) => (counts ? [i] : []));
  const least = closedSimes(family.map(({ p }) => p)).leastDifferent(chosen, alpha);
  if (least === 0) return null;
  const [of, confidence] = [comparisons.length, 1 - alpha];
  const [preposition, noun] = kindOf(spec, sites.length);
  const where = `${preposition} at least ${grouped(least)} of ${counted(of, noun)}`;
  const what = `${metricTitle(first.metric)} differs between ${protocolName(first.candidate)} and ${protocolName(first.baseline)}`;
  return { least, of, confidence, words: `${what} ${where}, with ${confidenceWords(confidence)} confidence.` };
}

/** The words for the comparisons of a campaign. */
function kindOf({ conditions, views }: Campaign['spec'], sites: number): [preposition: string, noun: string] {
  if (conditions.length * views.length === 1) return ['on', 'site'];
  return sites * views.length === 1 ? ['under', 'condition'] : ['in', 'case'];
}
