// A campaign's answers to the questions of Trevisan et al. 2021, by the definitions of core: numbers for its tables and figures.
import {
  type CellDelta,
  classCharacteristics,
  deltaDistribution,
  type MetricSample,
  measure,
  metricAcross,
  siteProvider,
} from '@pronghorn/core/campaign';
import { type Interval, median, medianInterval, type Proportion, pearson, proportion, spearman } from '@pronghorn/core/math';
import {
  type Campaign,
  type Characteristic,
  type ClassCharacteristics,
  characteristics,
  type DeltaDistribution,
  type SiteClass,
  type SiteDiscovery,
} from '@pronghorn/core/schemas';
import { type Box, boxOf, summariseLoads } from '@pronghorn/core/verdict';
import { type Protocol, protocols, siteClasses } from '@pronghorn/core/vocabulary';
import { type PaperProvider, paperProviders } from './published.ts';
import type { Measured, StudyVisit } from './report.ts';

export const paperMetrics = ['onLoad', 'speedIndex'] as const;
export type PaperMetric = (typeof paperMetrics)[number];

/** The number of sites, their median, and its 95 % interval; null below 6 sites. */
interface MedianOfSites {
  sites: number;
  median: number;
  interval: Interval | null;
}

interface DeltaFinding {
  /** Null where no site has an H3-Delta. */
  faster: Proportion | null;
  median: MedianOfSites | null;
  distribution: DeltaDistribution;
}

export interface ConditionFinding extends DeltaFinding {
  condition: string;
  /** Over the sites' medians, for protocols that have any. +∞ where half of a site's loads failed. */
  protocols: Partial<Record<Protocol, { box: Box<number | null>; median: MedianOfSites }>>;
  classes: Record<SiteClass, Proportion> | null;
  byClass: ClassCharacteristics[];
  byProvider: { provider: PaperProvider; finding: DeltaFinding }[];
  /** Spearman's correlation of H3-Delta with a characteristic of the page, over sites. */
  correlations: Record<Characteristic, number | null>;
}

/** Shares of a site's loads with HTTP/3, under all conditions. */
export interface SiteShares {
  siteId: string;
  provider: PaperProvider;
  objects: number;
  bytes: number;
  someH1: boolean;
}

export interface PaperFindings {
  /** The number of sites with a counted visit. */
  measuredSites: number;
  metrics: Record<PaperMetric, ConditionFinding[]>;
  shares: SiteShares[];
  /** The product in the main document's Server header, empty without one; the most frequent first. */
  servers: { server: string; sites: number }[];
  providerOf: ReadonlyMap<string, PaperProvider>;
  /** Correlation of the sites' medians under the first condition; null for fewer than 3 sites. */
  connectionsAndHosts: number | null;
  sites: { siteId: string; medians: Partial<Record<Protocol, number>>; deltas: Record<string, number | null>; failed: number }[];
}

export function paperFindings({ campaign, visits, discoveries }: Measured): PaperFindings {
  const providerOf = providersOf(discoveries);
  const byMetric = Object.fromEntries(
    paperMetrics.map((metric) => [metric, metricFindings(campaign, visits, metric, providerOf)]),
  ) as unknown as Record<PaperMetric, MetricFindings>;
  const { groups, cells } = byMetric.onLoad;
  const [first] = campaign.spec.conditions;
  const [cellsOfSite, groupsOfSite] = [Map.groupBy(cells, ({ siteId }) => siteId), Map.groupBy(groups, ({ siteId }) => siteId)];
  const failed = Map.groupBy(
    visits.filter((visit) => visit.verdict === 'invalid' && visit.counted),
    ({ siteId }) => siteId,
  );
  return {
    measuredSites: new Set(visits.flatMap((visit) => (visit.verdict === 'valid' ? visit.siteId : []))).size,
    metrics: { onLoad: byMetric.onLoad.findings, speedIndex: byMetric.speedIndex.findings },
    shares: sharesOf(campaign, visits, providerOf),
    servers: serversOf(discoveries),
    providerOf,
    connectionsAndHosts: pearson(
      groups.flatMap(({ condition, characteristics: page }) =>
        condition === first?.name && page !== null ? [[page.connections, page.hosts] as const] : [],
      ),
    ),
    sites: campaign.sites.map(({ id: siteId }) => ({
      siteId,
      medians: Object.fromEntries(
        (cellsOfSite.get(siteId) ?? []).flatMap(({ condition, protocol, values }) =>
          condition === first?.name && values.length > 0 ? [[protocol, median(values)]] : [],
        ),
      ),
      deltas: Object.fromEntries((groupsOfSite.get(siteId) ?? []).map(({ condition, delta }) => [condition, delta])),
      failed: failed.get(siteId)?.length ?? 0,
    })),
  };
}

interface MetricFindings {
  findings: ConditionFinding[];
  cells: MetricSample[];
  groups: CellDelta[];
}

function metricFindings(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: readonly StudyVisit[],
  metric: PaperMetric,
  providerOf: ReadonlyMap<string, PaperProvider>,
): MetricFindings {
  const [view] = campaign.spec.views;
  const all = metricAcross(measure(campaign, visits), metric);
  const cells = all.samples.filter((cell) => cell.view === view);
  const groups = all.deltas.filter((group) => group.view === view);
  const findings = campaign.spec.conditions.map(({ name: condition }): ConditionFinding => {
    const its = groups.filter((group) => group.condition === condition);
    const mediansOf = (protocol: Protocol) =>
      cells.flatMap((cell) =>
        cell.condition === condition && cell.protocol === protocol && cell.values.length > 0 ? median(cell.values) : [],
      );
    const overall = deltaFinding(its);
    const counts = overall.distribution.classes;
    const ofSites = overall.distribution.sites;
    return {
      condition,
      protocols: Object.fromEntries(
        protocols.flatMap((protocol) => {
          const medians = mediansOf(protocol);
          return medians.length === 0 ? [] : [[protocol, { box: boxOf(summariseLoads(medians, null)), median: medianOfSites(medians) }]];
        }),
      ),
      ...overall,
      classes:
        ofSites === 0
          ? null
          : (Object.fromEntries(siteClasses.map((name) => [name, proportion(counts[name].sites, ofSites)])) as Record<
              SiteClass,
              Proportion
            >),
      byClass: classCharacteristics(its),
      byProvider: paperProviders.flatMap((provider) => {
        const ofProvider = its.filter(({ siteId }) => (providerOf.get(siteId) ?? 'Other') === provider);
        return ofProvider.length === 0 ? [] : [{ provider, finding: deltaFinding(ofProvider) }];
      }),
      correlations: Object.fromEntries(
        characteristics.map((name) => [
          name,
          spearman(
            its.flatMap(({ delta, characteristics: page }) => (delta === null || page === null ? [] : [[page[name], delta] as const])),
          ),
        ]),
      ) as Record<Characteristic, number | null>,
    };
  });
  return { findings, cells, groups };
}

function deltaFinding(groups: readonly CellDelta[]): DeltaFinding {
  const deltas = groups.flatMap(({ delta }) => delta ?? []);
  return {
    faster: deltas.length === 0 ? null : proportion(deltas.filter((delta) => delta < 0).length, deltas.length),
    median: deltas.length === 0 ? null : medianOfSites(deltas),
    distribution: deltaDistribution(groups),
  };
}

const medianOfSites = (values: readonly number[]): MedianOfSites => ({
  sites: values.length,
  median: median(values),
  interval: medianInterval(values),
});

/** The paper's groups: Meta is its Facebook; all others, and unknown providers, are Other. */
const groupOfProvider = (name: string): PaperProvider =>
  paperProviders.find((one) => one === (name === 'Meta' ? 'Facebook' : name)) ?? 'Other';

function providersOf(discoveries: readonly SiteDiscovery[]): Map<string, PaperProvider> {
  return new Map(
    discoveries.flatMap((discovery) => {
      const known = siteProvider(discovery);
      return known === null ? [] : [[discovery.siteId, groupOfProvider(known.provider)] as const];
    }),
  );
}

/** Means over all visits of a site, as in the paper. */
function sharesOf(campaign: Campaign, visits: readonly StudyVisit[], providerOf: ReadonlyMap<string, PaperProvider>): SiteShares[] {
  const ofH3 = visits.flatMap((visit) => (visit.verdict === 'valid' && campaign.spec.protocols[visit.slot] === 'h3' ? [visit] : []));
  return [...Map.groupBy(ofH3, ({ siteId }) => siteId)].map(([siteId, its]) => {
    const mean = (of: (metrics: (typeof its)[number]['metrics']) => number) =>
      its.reduce((sum, { metrics }) => sum + of(metrics), 0) / its.length;
    return {
      siteId,
      provider: providerOf.get(siteId) ?? 'Other',
      objects: mean(({ h3Share }) => h3Share),
      bytes: mean(({ h3ByteShare }) => h3ByteShare),
      someH1: its.some(({ metrics }) => metrics.h1Share > 0),
    };
  });
}

function serversOf(discoveries: readonly SiteDiscovery[]): PaperFindings['servers'] {
  const bySite = new Map(
    discoveries.flatMap(({ siteId, finalUrl, hosts }) => {
      const url = finalUrl === null ? null : URL.parse(finalUrl);
      const document = hosts.find(
        ({ host }) => url !== null && host === `${url.hostname}:${url.port || (url.protocol === 'http:' ? 80 : 443)}`,
      );
      return document === undefined ? [] : [[siteId, document.server?.trim().split(/[/ ]/)[0] ?? ''] as const];
    }),
  );
  const counts = Map.groupBy(bySite.values(), (server) => server);
  return [...counts]
    .map(([server, its]) => ({ server, sites: its.length }))
    .sort((a, b) => b.sites - a.sites || a.server.localeCompare(b.server, 'en'));
}

/** During a longer break between two visits the campaign was stopped. */
const maxBreakMs = 600_000;

/**
 * Wall time for each counted visit, milliseconds, including everything between visits (discovery, changing and checking the link) and tries that did not
 * count.
 *
 * @returns null for fewer than two visits
 */
export function paceMs(visits: readonly StudyVisit[]): number | null {
  const starts = visits.map(({ startedAt, wallMs }) => ({ at: Date.parse(startedAt), wallMs })).sort((a, b) => a.at - b.at);
  let [elapsedMs, counted] = [0, 0];
  starts.forEach(({ at, wallMs }, i) => {
    const next = starts[i + 1];
    const until = next === undefined ? at + wallMs : next.at;
    elapsedMs += until - at > wallMs + maxBreakMs ? wallMs : until - at;
  });
  for (const visit of visits) if (visit.verdict === 'valid' || visit.counted) counted += 1;
  return visits.length < 2 || counted === 0 ? null : elapsedMs / counted;
}
