import { median } from '../math/quantile.ts';
import type { Campaign, CampaignSpec } from '../schemas/campaign.ts';
import { type MetricName, type Metrics, metricNamesOf } from '../schemas/metrics.ts';
import type { CampaignResults, GroupResults, SelfComparison, SlotResults } from '../schemas/results.ts';
import { describeCondition } from '../text/condition.ts';
import { counted } from '../text/numbers.ts';
import { atLeastMsOf } from '../verdict/at-least.ts';
import { pairedTest } from '../verdict/comparison.ts';
import { connectionNote } from '../verdict/connection-note.ts';
import { failureRate } from '../verdict/failures.ts';
import { compareGroups } from '../verdict/group-comparisons.ts';
import type { ComparedGroup } from '../verdict/group-samples.ts';
import { roundsOf } from '../verdict/group-samples.ts';
import { deltaOfMedians, h3Delta } from '../verdict/h3-delta.ts';
import { linkDoubt, type ResultLinkCheck } from '../verdict/link-doubt.ts';
import { notLoaded } from '../verdict/not-loaded.ts';
import type { PageFacts } from '../verdict/parity.ts';
import { confirmatoryComparisons, mainMetrics } from '../verdict/questions.ts';
import { type Look, planLooks } from '../verdict/sequential.ts';
import { summariseLoads } from '../verdict/summary.ts';
import type { View } from '../vocabulary/cell.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { InvalidReason } from '../vocabulary/reason.ts';
import { type CampaignGroup, gatherGroups } from './campaign-groups.ts';
import { measuredLink } from './measured-link.ts';

/** What results need to know of a visit: where it belongs, and its numbers or why it has none. */
export type ResultVisit = { siteId: string; condition: string; view: View; roundNumber: number; slot: number } & (
  | { verdict: 'valid'; metrics: Metrics; receiveDrops: number | null /** Absent: nothing else is known of it. */; page?: PageFacts }
  | {
      verdict: 'invalid';
      reason: InvalidReason;
      /** Why, of this visit; absent or null: not known. */
      detail?: string | null;
      /** As a failure. */
      counted: boolean;
      /** What it had to load; absent or null: not known. */
      loadTimeoutMs?: number | null;
    }
);

/**
 * The results of a campaign: for each site, condition and view, in the campaign's own order, the summary of every metric in
 * each slot, the H3-Delta of every metric, and the comparisons of protocols with their verdicts; and for each condition what its
 * link was measured to do.
 *
 * @param campaign its results have a group for each site, condition and view of it, without visits too.
 * @param visits of finished rounds: of the valid ones those that count, and every invalid one; one for each round and slot counts, as values or as a
 *   failure. A metric that a page lacks (null) is left out of its sample.
 * @param linkChecks all of the campaign.
 * @param complete whether every round had its turn: with some to come, or called off, no winner is named.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function campaignResults(...made: Parameters<typeof streamResults>): CampaignResults {
  const { groups, ...results } = streamResults(...made);
  return { ...results, groups: [...groups] };
}

/**
 * As `campaignResults`, but each group is made when it is asked for: the groups of 1,000 sites are 400 MB of JSON. They can be
 * gone through once.
 */
export function streamResults(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<ResultLinkCheck> = [],
  complete = true,
): Omit<CampaignResults, 'groups'> & { groups: Iterable<GroupResults> } {
  const { conditions, engine, primaryMetric, margin, adjustment, seed } = campaign.spec;
  const groups = gatherGroups(campaign, visits);
  const checksOf = Map.groupBy(linkChecks, ({ condition }) => condition);
  const doubtOf = new Map(conditions.map(({ name }) => [name, linkDoubt(checksOf.get(name) ?? [])]));
  const looks = looksOf(campaign.spec, campaign.sites.length);
  const comparisons = compareGroups(
    groups.map(({ slots, finished, condition }): ComparedGroup => ({ slots, finished, linkDoubt: doubtOf.get(condition) ?? null })),
    { engine, primaryMetric, margin, adjustment, seed, looks, complete },
  );
  return {
    campaignId: campaign.id,
    primaryMetric,
    conditions: conditions.map((condition) => ({
      condition: condition.name,
      words: describeCondition(condition),
      link: measuredLink(checksOf.get(condition.name) ?? []),
    })),
    groups: comparisons.map((ofGroup, place): GroupResults => {
      const { finished, ...group } = groups[place] as (typeof groups)[number];
      const numbers = numbersOf(group.slots, campaign.spec);
      return {
        ...group,
        ...numbers,
        connectionNote: connectionNote({ view: group.view, slots: numbers.slots }, campaign.spec),
        sinceLook: sinceLook(finished, looks, complete),
        comparisons: ofGroup,
        selfComparisons: selfComparisons(group.slots, campaign.spec),
      };
    }),
  };
}

/**
 * When a campaign that goes on until it is settled is looked at; null for one of a fixed number of rounds.
 * @throws RangeError as `planLooks`, where the most rounds are too few to settle anything.
 */
export function looksOf(
  {
    rounds,
    maximumRounds,
    adjustment,
    protocols,
    conditions,
    views,
  }: Pick<CampaignSpec, 'rounds' | 'maximumRounds' | 'adjustment' | 'protocols' | 'conditions' | 'views'>,
  sites: number,
): readonly Look[] | null {
  if (maximumRounds === null) return null;
  const comparisons = adjustment === 'holm' ? confirmatoryComparisons(protocols, sites * conditions.length * views.length) : 1;
  return planLooks({ rounds, maximumRounds, comparisons: Math.max(1, comparisons) });
}

function sinceLook(numbers: ReadonlySet<number>, looks: readonly Look[] | null, complete: boolean): GroupResults['sinceLook'] {
  const [judged, finished] = [roundsOf({ finished: numbers }, looks, complete).numbers.length, numbers.size];
  if (judged === finished) return null;
  const words = `The verdict and the comparisons are of the ${counted(judged, 'round')} until the last planned look; the medians are of all ${finished} so far.`;
  return { judged, finished, words };
}

type SlotVisits = CampaignGroup['slots'][number];

function numbersOf(slots: readonly SlotVisits[], spec: CampaignSpec): Pick<GroupResults, 'slots' | 'notLoaded' | 'h3Delta'> {
  const results = slots.map((visits, slot) => slotResults(visits, slot, spec));
  const deltaOf = (metric: MetricName) => {
    const [h3, h2] = [medianOf(slots, 'h3', metric), medianOf(slots, 'h2', metric)];
    return h3 === null || h2 === null ? null : deltaOfMedians(h3, h2);
  };
  return {
    slots: results,
    notLoaded: notLoaded(results),
    h3Delta: Object.fromEntries(metricNamesOf(spec).map((metric) => [metric, deltaOf(metric)])),
  };
}

/** Slots of one protocol (A/A) measure the same thing: the H3-Delta takes them together. */
function medianOf(slots: readonly SlotVisits[], protocol: Protocol, metric: MetricName): number | null {
  const values = slots.filter((slot) => slot.protocol === protocol).flatMap(({ counted }) => counted.sampleOf(metric));
  return values.length === 0 ? null : median(values);
}

function slotResults(visits: SlotVisits, slot: number, spec: CampaignSpec): SlotResults {
  const metrics: SlotResults['metrics'] = {};
  const atLeastMs = atLeastMsOf(spec);
  for (const metric of metricNamesOf(spec)) {
    const sample = visits.counted.sampleOf(metric);
    if (sample.length > 0) metrics[metric] = summariseLoads(sample, visits.counted.shortestLimitMs ?? atLeastMs);
  }
  return {
    slot,
    protocol: visits.protocol,
    valid: visits.counted.valid,
    failures: failureRate(visits.counted.failed, visits.counted.count),
    invalid: [...visits.invalid]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
    receiveDrops: receiveDropsOf(visits),
    metrics,
  };
}

/** What a network did not lose, and a protocol is then blamed for. */
function receiveDropsOf({ protocol, counted: { receiveDrops, valid } }: SlotVisits): SlotResults['receiveDrops'] {
  const drops = receiveDrops.map((count) => count ?? 0).filter((count) => count > 0);
  if (drops.length === 0) return null;
  const datagrams = drops.reduce((sum, count) => sum + count, 0);
  const lost = `${datagrams.toLocaleString('en-US')} ${datagrams === 1 ? 'datagram' : 'datagrams'}`;
  const where = `${drops.length} of ${valid} ${valid === 1 ? 'visit' : 'visits'} over ${protocol}`;
  const words = `In ${where}, ${lost} crossed the link and were lost in the browser’s full receive buffer: that is the machine, not the network.`;
  return { visits: drops.length, datagrams, words };
}

/** Compares each slot with the later ones of its protocol, round by round. */
function selfComparisons(slots: readonly SlotVisits[], spec: CampaignSpec): SelfComparison[] {
  const pairs = slots.flatMap((first, i) =>
    slots.slice(i + 1).flatMap((second, later) => (second.protocol === first.protocol ? [{ first, second, i, j: i + 1 + later }] : [])),
  );
  return pairs.flatMap(({ first, second, i, j }) =>
    [...new Set([spec.primaryMetric, ...mainMetrics(spec).slice(0, 2)])].flatMap((metric) => {
      const [firstValues, secondValues] = [first.counted.valuesOf(metric), second.counted.valuesOf(metric)];
      const placeOf = new Map(first.counted.rounds.map((round, place) => [round, place]));
      const paired = second.counted.rounds.flatMap((round, place): [number, number][] => {
        const [before, after] = [firstValues[placeOf.get(round) ?? -1] ?? Number.NaN, secondValues[place] as number];
        return Number.isNaN(before) || Number.isNaN(after) ? [] : [[before, after]];
      });
      if (paired.length === 0) return [];
      const delta = h3Delta(
        paired.map(([, after]) => after),
        paired.map(([before]) => before),
      );
      const p = pairedTest(paired.map(([baseline, candidate]) => ({ candidate, baseline })))?.p ?? 1;
      return [{ protocol: first.protocol, slots: [i, j], metric, rounds: paired.length, delta, p }];
    }),
  );
}
