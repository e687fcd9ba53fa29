// The trends of a site: the reader's choices, and the API's series for charts and tables.
import type { DeltaSeries, MetricName, SiteTrends, TrendPoint, TrendSeries } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { TrendPlotSeries } from '../../charts/trend/series.ts';
import { useQuery, useQueryList } from '../../state/query.ts';
import { metricNames, protocolNames } from '../../text/vocabulary.ts';

/** In the address. */
export type TrendChoice = ReturnType<typeof useTrendChoice>;

export function useTrendChoice() {
  return {
    metric: useQuery<MetricName>('metric', 'onLoad', Object.keys(metricNames) as MetricName[]),
    /** Empty: the first one. */
    condition: useQuery<string>('condition', ''),
    view: useQuery<View>('view', 'cold', ['cold', 'warm']),
    /** None: all. */
    protocols: useQueryList<Protocol>('protocols', ['h1', 'h2', 'h3']),
    branch: useQuery<string>('branch', '', null, 'replace'),
    /** Days of the reader's calendar, such as 2026-03-01; empty: without end. */
    since: useQuery<string>('since', '', null, 'replace'),
    until: useQuery<string>('until', '', null, 'replace'),
  };
}

/** Conditions that any series has, each once, in the order of the answer. */
export const conditionsOf = ({ series }: Pick<SiteTrends, 'series'>): string[] => [...new Set(series.map(({ condition }) => condition))];
export const viewsOf = ({ series }: Pick<SiteTrends, 'series'>): View[] => [...new Set(series.map(({ view }) => view))];

type ConditionView = { condition: string; view: View };
export const isAt = (one: ConditionView, { condition, view }: ConditionView): boolean => one.condition === condition && one.view === view;

type Setup = Pick<TrendSeries, 'words' | 'discovery' | 'isolation' | 'browser' | 'engine' | 'location' | 'visitor' | 'ends'>;
const traits: readonly (keyof Setup)[] = ['words', 'discovery', 'isolation', 'browser', 'engine', 'location', 'visitor', 'ends'];

/** The setup that sets a series apart from others of its condition and view; empty where there is none. */
export function setupWords(one: Setup, all: readonly Setup[]): string {
  const differing = traits.filter((trait) => new Set(all.map((other) => other[trait])).size > 1);
  return differing.map((trait) => (trait === 'location' ? (one.location ?? 'any location') : String(one[trait]))).join(', ');
}

const named = (name: string, setup: string) => (setup === '' ? name : `${name} (${setup})`);

/** @param protocols none: all */
export function plotted(all: readonly TrendSeries[], protocols: readonly Protocol[]): TrendPlotSeries[] {
  return all
    .filter(({ protocol }) => protocols.length === 0 || protocols.includes(protocol))
    .map((one) => ({
      name: named(protocolNames[one.protocol], setupWords(one, all)),
      protocol: one.protocol,
      points: one.points.map(({ campaignId, createdAt, median, atLeastMs, interval, annotations, regression }) => ({
        ...{
          at: createdAt,
          value: median,
          // An end among failed loads is drawn at their limit: it is at least that.
          interval: median === null || interval === null ? null : { low: interval.low ?? atLeastMs, high: interval.high ?? atLeastMs },
          campaignId,
          regression,
          commit: annotations.commit ?? null,
        },
      })),
    }));
}

export function plottedDeltas(all: readonly DeltaSeries[]): TrendPlotSeries[] {
  return all.map((one) => ({
    name: named('H3-Delta', setupWords(one, all)),
    protocol: 'h3',
    points: one.points.map(({ campaignId, createdAt, delta, interval, annotations }) => ({
      ...{ at: createdAt, value: delta, interval, campaignId, commit: annotations.commit ?? null },
    })),
  }));
}

/** What stands in the place of a median among failed loads. */
export const failedText = ({ n, failed }: Pick<TrendPoint, 'n' | 'failed'>): string =>
  failed === n ? 'no load succeeded' : `${failed} of ${n} loads failed`;

export type CampaignLine = Pick<TrendPoint, 'campaignId' | 'createdAt' | 'state' | 'annotations'> & {
  points: ReadonlyMap<Protocol, TrendPoint>;
  delta: Pick<DeltaSeries['points'][number], 'delta' | 'interval'> | null;
  regressions: string[];
};

/** One line for each campaign, the newest first. */
export function campaignLines(series: readonly TrendSeries[], deltas: readonly DeltaSeries[]): CampaignLine[] {
  type Line = Omit<CampaignLine, 'points'> & { points: Map<Protocol, TrendPoint> };
  const lines = new Map<string, Line>();
  for (const { protocol, points } of series) {
    for (const point of points) {
      const { campaignId, createdAt, state, annotations, regression } = point;
      const none = { points: new Map<Protocol, TrendPoint>(), delta: null, regressions: [] };
      const line: Line = lines.get(campaignId) ?? { campaignId, createdAt, state, annotations, ...none };
      lines.set(campaignId, line);
      line.points.set(protocol, point);
      if (regression !== null) line.regressions.push(regression);
    }
  }
  for (const { points } of deltas) {
    for (const { campaignId, delta, interval } of points) {
      const line = lines.get(campaignId);
      if (line) line.delta = { delta, interval };
    }
  }
  return [...lines.values()].sort((a, b) => b.createdAt.localeCompare(a.createdAt) || Number(b.campaignId) - Number(a.campaignId));
}
