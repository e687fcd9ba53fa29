import { median } from '../math/quantile.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { CampaignSummary, ConditionOverview, GroupAnswer } from '../schemas/summary.ts';
import { foundWords } from '../text/difference.ts';
import { type AnsweredGroup, answerQuestion } from '../verdict/campaign-question.ts';
import { differing } from '../verdict/differing.ts';
import { failureRate } from '../verdict/failures.ts';
import { outcomesOf, pairsOf, roundsOf, sideOf } from '../verdict/group-samples.ts';
import { deltaOfMedians } from '../verdict/h3-delta.ts';
import type { ResultLinkCheck } from '../verdict/link-doubt.ts';
import { notLoaded } from '../verdict/not-loaded.ts';
import { knownOrNull } from '../verdict/summary.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import { type DeltaOfSite, deltaDistribution } from './across/delta-distribution.ts';
import { noiseBeyond } from './across/delta-noise.ts';
import type { ResultVisit } from './results.ts';

/**
 * What a summary says beside the campaign's state: the visits of finished rounds, H3-Delta over sites and verdicts for each condition
 * and view, and the answer to the campaign's question for each group. Parameters and errors as of `answerQuestion`.
 */
export function campaignSummary(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<ResultLinkCheck>,
  complete: boolean,
): Omit<CampaignSummary, 'asOf' | 'state' | 'progress'> {
  const { primaryMetric, conditions, views } = campaign.spec;
  let [valid, failed] = [0, 0];
  const invalid = new Map<InvalidReason, number>();
  const groups: GroupAnswer[] = [];
  const deltas = new Map<GroupAnswer, DeltaOfSite>();
  const comparisons: Comparison[] = [];
  for (const group of answerQuestion(campaign, visits, linkChecks, { complete })) {
    for (const slot of group.slots) {
      valid += slot.counted.valid;
      failed += slot.counted.failed;
      for (const [reason, count] of slot.invalid) invalid.set(reason, (invalid.get(reason) ?? 0) + count);
    }
    const answer = answerOf(group, primaryMetric);
    groups.push(answer);
    deltas.set(answer, deltaOf(group, answer, campaign.spec));
    if (group.comparison !== null) comparisons.push(group.comparison);
  }
  const overview = conditions.flatMap(({ name: condition }) =>
    views.map((view): ConditionOverview => {
      const its = groups.filter((group) => group.condition === condition && group.view === view);
      const outcomes = Map.groupBy(
        its.flatMap(({ comparison }) => comparison ?? []),
        ({ outcome }) => outcome,
      );
      return {
        condition,
        view,
        delta: deltaDistribution(its.map((group) => deltas.get(group) as DeltaOfSite)),
        outcomes: [...outcomes].map(([outcome, all]) => ({ outcome, count: all.length })).sort((a, b) => b.count - a.count),
      };
    }),
  );
  const reasons = [...invalid].map(([reason, count]) => ({ reason, count }));
  reasons.sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
  return {
    campaignId: campaign.id,
    primaryMetric,
    visits: { valid, failed, invalid: reasons },
    notLoaded: campaign.sites.flatMap(({ id }) => siteNotLoaded(id, groups)),
    differing: differing(comparisons, campaign),
    overview,
    groups,
  };
}

/** Of a campaign that is looked at the interval is of the rounds until its last look. */
function deltaOf(group: AnsweredGroup, { h3Delta, comparison }: GroupAnswer, { primaryMetric, seed }: Campaign['spec']): DeltaOfSite {
  const { low = null, high = null } = comparison?.delta ?? {};
  const rounds = roundsOf({ finished: group.finished }, null, true);
  const side = (protocol: Protocol) => sideOf({ ...group, linkDoubt: null }, rounds, protocol, primaryMetric);
  return {
    delta: h3Delta,
    interval: low === null || high === null ? null : { low, high },
    noise: h3Delta === null ? null : noiseBeyond(pairsOf(side('h3'), side('h2')), seed),
  };
}

function siteNotLoaded(siteId: string, groups: readonly GroupAnswer[]): CampaignSummary['notLoaded'] {
  const its = groups.filter((group) => group.siteId === siteId);
  const found = notLoaded(its.map(({ visits, ...group }) => ({ valid: visits.valid, invalid: group.notLoaded?.reasons ?? [] })));
  return found === null ? [] : [{ siteId, words: found.words }];
}

function answerOf({ siteId, condition, view, slots, comparison }: AnsweredGroup, metric: MetricName): GroupAnswer {
  const medians: GroupAnswer['medians'] = {};
  const failures: GroupAnswer['failures'] = {};
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
    comparison: comparison && {
      outcome: comparison.verdict.outcome,
      words: comparison.verdict.words,
      doubts: comparison.verdict.doubts.map(({ doubt }) => doubt),
      difference: foundWords(comparison),
      rounds: comparison.rounds,
      failures: comparison.failures,
      delta: comparison.delta,
      shift: comparison.shift,
      shiftAtMedian: comparison.shiftAtMedian,
      shiftConfidence: comparison.shiftConfidence,
      confidence: comparison.confidence,
      p: comparison.signedRank?.p ?? null,
      adjustedP: comparison.signedRank?.adjustedP ?? null,
    },
  };
}
