// The visits of a campaign as gates look at them: for each site, condition and view, what each protocol's rounds gave.
import type { Campaign } from '../../schemas/campaign.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { atLeastMsOf, shorterLimit } from '../../verdict/at-least.ts';
import { type ComparedGroup, type Rounds, type Side, sideOf } from '../../verdict/group-samples.ts';
import { linkDoubt, type ResultLinkCheck } from '../../verdict/link-doubt.ts';
import type { View } from '../../vocabulary/cell.ts';
import { isBetterHigh } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { gatherGroups } from '../campaign-groups.ts';
import { looksOf, type ResultVisit } from '../results.ts';

/** A campaign with what was measured in it, from which everything else is made. */
export interface Measurements {
  campaign: Pick<Campaign, 'id' | 'createdAt' | 'state' | 'spec' | 'sites' | 'annotations' | 'location'>;
  /** As for `campaignResults`. */
  visits: Iterable<ResultVisit>;
  linkChecks: Iterable<ResultLinkCheck>;
}

export interface MeasuredGroup extends ComparedGroup {
  /** That count, ascending. */
  rounds: Pick<Rounds, 'numbers' | 'places'>;
  /** That were planned. */
  planned: number;
  /** What a load that failed would have taken at least. */
  atLeastMs: number;
  /** Of one protocol and metric. */
  side(protocol: Protocol, metric: MetricName): Side;
}

/** By site, condition and view. */
export type MeasuredGroups = ReadonlyMap<string, MeasuredGroup>;

export const groupKey = (group: { siteId: string; condition: string; view: View }): string =>
  `${group.siteId} ${group.view} ${group.condition}`;

/**
 * Of a campaign that goes on until it is settled only the rounds of the first look count: whether there are others was decided by what the first
 * ones showed.
 *
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function measuredGroups({ campaign, visits, linkChecks }: Measurements): MeasuredGroups {
  const { spec, sites } = campaign;
  const planned = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
  const checksOf = Map.groupBy(linkChecks, ({ condition }) => condition);
  const doubtOf = new Map(spec.conditions.map(({ name }) => [name, linkDoubt(checksOf.get(name) ?? [])]));
  const counting = Iterator.from(visits).filter(({ roundNumber }) => roundNumber <= planned);
  return new Map(
    gatherGroups(campaign, counting).map((group) => [
      groupKey(group),
      madeGroup({ ...group, linkDoubt: doubtOf.get(group.condition) ?? null }, planned, atLeastMsOf(spec)),
    ]),
  );
}

function madeGroup(group: ComparedGroup, planned: number, atLeastMs: number): MeasuredGroup {
  const numbers = [...group.finished].sort((a, b) => a - b);
  const rounds = { numbers, places: new Map(numbers.map((number, place) => [number, place])) };
  const limitMs = group.slots.reduce<number | null>((least, { counted }) => shorterLimit(least, counted.shortestLimitMs), null);
  return {
    ...group,
    rounds,
    planned,
    atLeastMs: limitMs ?? atLeastMs,
    side: (protocol, metric) => withoutSuccess(sideOf(group, rounds, protocol, metric), metric),
  };
}

/** A run that failed is slower than every other: of what is better high it has 0, where a time is +∞. */
function withoutSuccess(side: Side, metric: MetricName): Side {
  if (!isBetterHigh(metric)) return side;
  return { ...side, ofRound: side.ofRound.map((value, place) => (side.failures[place] === 1 ? 0 : value)) };
}

/** One for each round that has one; +∞ for the time of a load that failed. */
export const valuesOf = ({ ofRound }: Side): number[] => ofRound.filter((value) => !Number.isNaN(value));
/** Of each round in which a visit counts whether its load failed: 1 or 0. */
export const failuresOfSide = ({ failures }: Side): number[] => failures.filter((one) => !Number.isNaN(one));
