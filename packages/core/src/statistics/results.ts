import { describeCondition } from '../conditions/describe.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { LinkCheck } from '../schemas/link-check.ts';
import { type MetricName, type Metrics, metricNames } from '../schemas/metrics.ts';
import type { CampaignResults, GroupResults, SelfComparison, SlotResults } from '../schemas/results.ts';
import type { InvalidReason, Protocol, View } from '../schemas/vocabulary.ts';
import { h3Delta } from './h3-delta.ts';
import { measuredLink } from './measured-link.ts';
import { permutationTest } from './permutation-test.ts';
import { summarise } from './summary.ts';

/** What results need to know of a visit: where it belongs, and its numbers or why it has none. */
export type ResultVisit = { siteId: string; condition: string; view: View; roundNumber: number; slot: number } & (
  | { verdict: 'valid'; metrics: Metrics; receiveDrops: number | null }
  | { verdict: 'invalid'; reason: InvalidReason }
);

/**
 * The results of a campaign: for each site, condition and view, in the campaign's own order, the summary of every metric in
 * each slot, and the H3-Delta of every metric; and for each condition what its link was measured to do.
 *
 * @param campaign its results have a group for each site, condition and view of it, without visits too.
 * @param visits of finished rounds: of the valid ones those that count (one for each round and slot), and every invalid one.
 *   A metric that a page lacks (null) is left out of its sample.
 * @param linkChecks all of the campaign.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function campaignResults(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<LinkCheck> = [],
): CampaignResults {
  const { protocols, conditions, views, primaryMetric, seed } = campaign.spec;
  const groups = campaign.sites.flatMap((site) =>
    conditions.flatMap(({ name: condition }) => views.map((view) => ({ siteId: site.id, condition, view, slots: protocols.map(newSlot) }))),
  );
  const byKey = new Map(groups.map((group) => [keyOf(group), group]));
  for (const visit of visits) {
    const slot = byKey.get(keyOf(visit))?.slots[visit.slot];
    if (!slot) throw new RangeError(`results: campaign ${campaign.id} has no slot ${visit.slot} of ${keyOf(visit)}`);
    if (visit.verdict === 'valid') slot.valid.push(visit);
    else slot.invalid.set(visit.reason, (slot.invalid.get(visit.reason) ?? 0) + 1);
  }
  const checksOf = Map.groupBy(linkChecks, ({ condition }) => condition);
  return {
    campaignId: campaign.id,
    primaryMetric,
    conditions: conditions.map((condition) => ({
      condition: condition.name,
      words: describeCondition(condition),
      link: measuredLink(checksOf.get(condition.name) ?? []),
    })),
    groups: groups.map((group) => ({
      ...group,
      ...numbersOf(group.slots),
      selfComparisons: selfComparisons(group.slots, primaryMetric, seed),
    })),
  };
}

type SlotVisits = { protocol: Protocol; valid: Extract<ResultVisit, { verdict: 'valid' }>[]; invalid: Map<InvalidReason, number> };

const newSlot = (protocol: Protocol): SlotVisits => ({ protocol, valid: [], invalid: new Map() });

const keyOf = (group: { siteId: string; condition: string; view: View }) => `${group.siteId} ${group.condition} ${group.view}`;

function numbersOf(slots: readonly SlotVisits[]): Pick<GroupResults, 'slots' | 'h3Delta'> {
  // Slots of one protocol (A/A) measure the same thing: the H3-Delta takes them together.
  const valuesOf = (protocol: Protocol, metric: MetricName) =>
    slots.filter((slot) => slot.protocol === protocol).flatMap((slot) => sampleOf(slot, metric));
  return {
    slots: slots.map(slotResults),
    h3Delta: Object.fromEntries(metricNames.map((metric) => [metric, h3Delta(valuesOf('h3', metric), valuesOf('h2', metric))])),
  };
}

function slotResults(visits: SlotVisits, slot: number): SlotResults {
  const samples = metricNames.map((metric) => [metric, sampleOf(visits, metric)] as const).filter(([, sample]) => sample.length > 0);
  return {
    slot,
    protocol: visits.protocol,
    valid: visits.valid.length,
    invalid: [...visits.invalid]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)),
    receiveDrops: receiveDropsOf(visits),
    metrics: Object.fromEntries(samples.map(([metric, sample]) => [metric, summarise(sample)])),
  };
}

/** What a network did not lose, and a protocol is then blamed for. */
function receiveDropsOf({ protocol, valid }: SlotVisits): SlotResults['receiveDrops'] {
  const drops = valid.map(({ receiveDrops }) => receiveDrops ?? 0).filter((count) => count > 0);
  if (drops.length === 0) return null;
  const datagrams = drops.reduce((sum, count) => sum + count, 0);
  const lost = `${datagrams.toLocaleString('en-US')} ${datagrams === 1 ? 'datagram' : 'datagrams'}`;
  const where = `${drops.length} of ${valid.length} ${valid.length === 1 ? 'visit' : 'visits'} over ${protocol}`;
  const words = `In ${where}, ${lost} crossed the link and were lost in the browser’s full receive buffer: that is the machine, not the network.`;
  return { visits: drops.length, datagrams, words };
}

const sampleOf = (slot: SlotVisits, metric: MetricName) =>
  slot.valid.map(({ metrics }) => metrics[metric]).filter((value) => value !== null);

/** Compares each slot with the later ones of its protocol, round by round. */
function selfComparisons(slots: readonly SlotVisits[], primaryMetric: MetricName, seed: number): SelfComparison[] {
  const pairs = slots.flatMap((first, i) =>
    slots.slice(i + 1).flatMap((second, later) => (second.protocol === first.protocol ? [{ first, second, i, j: i + 1 + later }] : [])),
  );
  return pairs.flatMap(({ first, second, i, j }) =>
    [...new Set<MetricName>([primaryMetric, 'onLoad', 'speedIndex'])].flatMap((metric) => {
      const byRound = new Map(first.valid.map(({ roundNumber, metrics }) => [roundNumber, metrics[metric]]));
      const paired = second.valid.flatMap(({ roundNumber, metrics }): [number, number][] => {
        const [before, after] = [byRound.get(roundNumber) ?? null, metrics[metric]];
        return before === null || after === null ? [] : [[before, after]];
      });
      if (paired.length === 0) return [];
      const delta = h3Delta(
        paired.map(([, after]) => after),
        paired.map(([before]) => before),
      );
      const { p } = permutationTest(
        paired.map(([before, after]) => after - before),
        { seed },
      );
      return [{ protocol: first.protocol, slots: [i, j], metric, rounds: paired.length, delta, p }];
    }),
  );
}
