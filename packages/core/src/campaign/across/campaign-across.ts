import { bootstrapIntervals } from '../../math/bootstrap.ts';
import { median } from '../../math/quantile.ts';
import { type AcrossSites, type CampaignAcross, type Characteristic, characteristics, type SiteProvider } from '../../schemas/across.ts';
import type { SiteDiscovery } from '../../schemas/discovery.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { pairsOf, roundsOf, sideOf } from '../../verdict/cell-samples.ts';
import { h3Delta } from '../../verdict/h3-delta.ts';
import type { Cell } from '../../vocabulary/cell.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { MeasuredCampaign, MeasuredCell } from '../measured/measured.ts';
import { classCharacteristics, type PageCharacteristics } from './class-characteristics.ts';
import { type DeltaOfSite, deltaByProvider, deltaDistribution, noiseBeyond, stepsOf } from './delta-distribution.ts';
import { factorTests, type MetricSample } from './factors.ts';
import { siteProvider, unknownProvider } from './providers.ts';

/**
 * Results across the sites of a campaign, for one metric: after Trevisan et al. 2021, figures 4, 5, 7, 8 and 9, with tests of the factors.
 * n log n in the number of visits.
 *
 * @param discoveries of its sites; the latest one of a site that found a host counts. A site without any has an `unknown` provider.
 * @param metric default: the campaign's primary one.
 */
export function campaignAcross(
  measured: MeasuredCampaign,
  discoveries: Iterable<SiteDiscovery>,
  metric: MetricName = measured.campaign.spec.primaryMetric,
): CampaignAcross {
  const { campaign } = measured;
  const { samples, deltas } = metricAcross(measured, metric);
  const providerOfSite = providersOf(discoveries);
  const byCondition = Map.groupBy(deltas, ({ condition, view }) => `${condition} ${view}`);
  return {
    campaignId: campaign.id,
    metric,
    providers: campaign.sites.flatMap(({ id }) => providerOfSite.get(id) ?? []),
    groups: [...byCondition.values()].map((its) => acrossSites(its, providerOfSite)),
    factors: factorTests(samples),
  };
}

/** H3-Delta of a cell, and the characteristics of its pages. */
export interface CellDelta extends Cell, DeltaOfSite {
  /** Medians over counted visits over h3; null without any. */
  characteristics: PageCharacteristics | null;
}

/** One metric of a campaign for the statistics across sites: a sample for each cell and protocol, and H3-Delta for each cell. */
export function metricAcross(
  { campaign: { spec }, cells }: MeasuredCampaign,
  metric: MetricName,
): { samples: MetricSample[]; deltas: CellDelta[] } {
  const protocols = [...new Set(spec.protocols)];
  return {
    samples: cells.flatMap((cell) => {
      const { siteId, condition, view } = cell;
      return protocols.map((protocol) => ({ siteId, condition, view, protocol, values: sideIn(cell, protocol, metric).values }));
    }),
    deltas: cells.map((cell) => deltaOf(cell, metric, spec.seed)),
  };
}

const sideIn = (cell: MeasuredCell, protocol: Protocol, metric: MetricName) => sideOf(cell, roundsOf(cell, null, true), protocol, metric);

function deltaOf(cell: MeasuredCell, metric: MetricName, seed: number): CellDelta {
  const { siteId, condition, view } = cell;
  const [h3, h2] = [sideIn(cell, 'h3', metric), sideIn(cell, 'h2', metric)];
  const delta = h3Delta(h3.values, h2.values);
  const pairs = delta === null ? [] : pairsOf(h3, h2);
  const interval = pairs.length === 0 ? null : (bootstrapIntervals(pairs, { seed })?.delta ?? null);
  return { siteId, condition, view, delta, interval, noise: noiseBeyond(pairs, seed), characteristics: characteristicsOf(cell) };
}

/** Characteristics that runs of REST calls have by definition: they go to the host of their URL. */
const ofRuns: Partial<Record<Characteristic, number>> = { hosts: 1 };

function characteristicsOf({ slots }: MeasuredCell): PageCharacteristics | null {
  const visits = slots.filter(({ protocol }) => protocol === 'h3').map(({ counted }) => counted);
  if (visits.every(({ valid }) => valid === 0)) return null;
  const valuesOf = (name: Characteristic) =>
    visits.flatMap((its) => {
      const values = its.valuesOf(name).filter((_, i) => !its.failures[i]);
      return values.map((value) => (Number.isNaN(value) ? (ofRuns[name] ?? value) : value));
    });
  const known = characteristics.map((name) => [name, valuesOf(name).filter((value) => !Number.isNaN(value))] as const);
  // Where visits could not be watched equally long, nothing counts that ends with them.
  if (known.some(([, values]) => values.length === 0)) return null;
  return Object.fromEntries(known.map(([name, values]) => [name, median(values)])) as PageCharacteristics;
}

function providersOf(discoveries: Iterable<SiteDiscovery>): Map<string, SiteProvider> {
  const latest = new Map<string, { discoveredAt: string; provider: SiteProvider }>();
  for (const discovery of discoveries) {
    const { siteId, discoveredAt } = discovery;
    const known = latest.get(siteId);
    if (known && Date.parse(known.discoveredAt) >= Date.parse(discoveredAt)) continue;
    const provider = siteProvider(discovery);
    if (provider) latest.set(siteId, { discoveredAt, provider });
  }
  return new Map([...latest].map(([siteId, { provider }]) => [siteId, provider]));
}

/** @param deltas of one condition and view, one for each site. */
function acrossSites(deltas: readonly CellDelta[], providerOfSite: ReadonlyMap<string, SiteProvider>): AcrossSites {
  const { condition, view } = deltas[0] as CellDelta;
  const provided = deltas.map((one) => ({ ...one, provider: providerOfSite.get(one.siteId)?.provider ?? unknownProvider }));
  return {
    condition,
    view,
    delta: deltaDistribution(deltas),
    deltaByProvider: providerOfSite.size === 0 ? [] : deltaByProvider(provided),
    byClass: classCharacteristics(deltas),
    ...h3Shares(deltas.map(({ characteristics: page }) => page)),
  };
}

/**
 * Shares of objects and bytes over HTTP/3 across sites (Trevisan et al. 2021, figures 4 and 5): the steps of both distribution functions.
 * If HTTP/3 is forced, these are the shares for a visitor who knows which hosts support it; a first visitor without HTTPS records gets
 * less.
 *
 * @param sites medians over counted visits over h3; null for a site without any, which is left out.
 */
function h3Shares(sites: readonly (PageCharacteristics | null)[]): Pick<AcrossSites, 'h3Objects' | 'h3Bytes'> {
  const known = sites.filter((page) => page !== null);
  const of = (name: 'h3Share' | 'h3ByteShare') => ({ sites: known.length, steps: stepsOf(known.map((page) => page[name])) });
  return { h3Objects: of('h3Share'), h3Bytes: of('h3ByteShare') };
}
