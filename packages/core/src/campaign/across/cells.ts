import { bootstrapIntervals } from '../../math/bootstrap.ts';
import { median } from '../../math/quantile.ts';
import { type Characteristic, characteristics } from '../../schemas/across.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import { type MetricName, metricOf } from '../../schemas/metrics.ts';
import { sampleOf, valueOfVisit } from '../../verdict/counted-visits.ts';
import { h3Delta } from '../../verdict/h3-delta.ts';
import type { View } from '../../vocabulary/cell.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { ResultVisit } from '../results.ts';
import type { PageCharacteristics } from './class-characteristics.ts';
import type { DeltaOfSite } from './delta-distribution.ts';
import { noiseBeyond } from './delta-noise.ts';

/** The values of one metric that share site, condition, view and protocol, +∞ for loads that failed; slots of one protocol stand together. */
export type MetricCell = { siteId: string; condition: string; view: View; protocol: Protocol; values: number[] };

/** A site under one condition and view. */
export type SiteGroup = {
  siteId: string;
  condition: string;
  view: View;
  /** H3-Delta of the metric; null where it is not defined. */
  delta: number | null;
  /** Its 95 % interval, and the chance that noise alone carries it beyond ±0.1: see `DeltaOfSite`. */
  interval: DeltaOfSite['interval'];
  noise: DeltaOfSite['noise'];
  /** Medians over counted visits over h3; null without any. */
  characteristics: PageCharacteristics | null;
};

/**
 * What of a campaign's visits the statistics across sites need: the values of one metric in cells, and for each site, condition
 * and view its H3-Delta and what its pages are like. Only these numbers are kept of a visit. Linear in the number of visits.
 *
 * @param campaign there is a group for each of its sites, conditions and views, and a cell for each of its protocols in it,
 *   without visits too.
 * @param visits as for `campaignResults`; one that failed is +∞ where the metric is a time; other invalid ones are passed over, and so is a visit without the metric, for the metric.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function cellsOf(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  metric: MetricName,
): { cells: MetricCell[]; groups: SiteGroup[] } {
  const { protocols, conditions, views, seed } = campaign.spec;
  const places = campaign.sites.flatMap(({ id }) =>
    conditions.flatMap(({ name }) => views.map((view) => newPlace({ siteId: id, condition: name, view }, protocols))),
  );
  const byKey = new Map(places.map((place) => [keyOf(place), place]));
  for (const visit of visits) {
    const place = byKey.get(keyOf(visit));
    const protocol = protocols[visit.slot];
    const cell = place?.cells.find((one) => one.protocol === protocol);
    if (!place || !cell) throw new RangeError(`across: campaign ${campaign.id} has no slot ${visit.slot} of ${keyOf(visit)}`);
    const value = valueOfVisit(visit, metric);
    cell.values.push(value);
    if ((protocol === 'h3' || protocol === 'h2') && value >= 0) firstOf(place, visit.roundNumber)[protocol] ??= value;
    if (visit.verdict !== 'valid') continue;
    if (protocol === 'h3')
      for (const name of characteristics) place.pages[name].push(metricOf(visit.metrics, name) ?? ofRuns[name] ?? Number.NaN);
  }
  for (const cell of places.flatMap(({ cells }) => cells)) cell.values = sampleOf(cell.values);
  return { cells: places.flatMap(({ cells }) => cells), groups: places.map((place) => groupOf(place, seed)) };
}

/** What is no metric of runs of REST calls, since it is the same of each: they go to the host of their URL. */
const ofRuns: Partial<Record<Characteristic, number>> = { hosts: 1 };

type Place = Pick<SiteGroup, 'siteId' | 'condition' | 'view'> & {
  cells: MetricCell[];
  pages: Record<Characteristic, number[]>;
  /** By round, of each protocol the first slot's that has a number, or failed. */
  rounds: Map<number, { h3?: number; h2?: number }>;
};

function firstOf({ rounds }: Place, roundNumber: number): { h3?: number; h2?: number } {
  const round = rounds.get(roundNumber) ?? {};
  rounds.set(roundNumber, round);
  return round;
}

const keyOf = ({ siteId, condition, view }: Pick<SiteGroup, 'siteId' | 'condition' | 'view'>) => `${siteId} ${condition} ${view}`;

function newPlace(place: Pick<SiteGroup, 'siteId' | 'condition' | 'view'>, protocols: readonly Protocol[]): Place {
  const cells = [...new Set(protocols)].map((protocol): MetricCell => ({ ...place, protocol, values: [] }));
  return {
    ...place,
    cells,
    rounds: new Map(),
    pages: Object.fromEntries(characteristics.map((name) => [name, []])) as unknown as Place['pages'],
  };
}

function groupOf({ siteId, condition, view, cells, pages, rounds }: Place, seed: number): SiteGroup {
  const valuesOf = (protocol: Protocol) => cells.find((cell) => cell.protocol === protocol)?.values ?? [];
  const medians = () => Object.fromEntries(characteristics.map((name) => [name, median(pages[name])])) as PageCharacteristics;
  const delta = h3Delta(valuesOf('h3'), valuesOf('h2'));
  const pairs =
    delta === null
      ? []
      : [...rounds]
          .sort(([a], [b]) => a - b)
          .flatMap(([, { h3, h2 }]) => (h3 === undefined || h2 === undefined ? [] : [{ candidate: h3, baseline: h2 }]));
  const interval = pairs.length === 0 ? null : (bootstrapIntervals(pairs, { seed })?.delta ?? null);
  const page = pages.connections.length === 0 ? null : medians();
  return { siteId, condition, view, delta, interval, noise: noiseBeyond(pairs, seed), characteristics: page };
}
