import { describeCondition } from '../conditions/describe.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { Regression } from '../schemas/schedule.ts';
import type { DeltaSeries, TrendPoint, TrendSeries } from '../schemas/site.ts';
import type { Protocol, View } from '../schemas/vocabulary.ts';
import { autocorrelation } from './autocorrelation.ts';
import { deltaOfMedians } from './h3-delta.ts';
import { medianInterval } from './median-interval.ts';
import { metricTitle } from './metric-title.ts';
import { quantile } from './quantile.ts';
import { trend } from './trend.ts';

/** A campaign, with the visits of one site in it that count. */
export type TrendCampaign = Pick<Campaign, 'id' | 'createdAt' | 'state' | 'annotations' | 'location'> & {
  spec: Pick<Campaign['spec'], 'conditions' | 'engine' | 'discovery' | 'isolation' | 'browser'>;
  visits: Iterable<{ condition: string; view: View; protocol: Protocol; value: number }>;
  /** What is worse at the site than in the campaigns of its schedule before. */
  regressions: readonly Pick<Regression, 'condition' | 'view' | 'protocol' | 'metric' | 'words'>[];
};

/** Fewer say nothing: the test's normal approximation is good from here on. */
const fewestPoints = 10;

/**
 * One metric of a site from campaign to campaign, in series of what can be compared: one condition with its numbers, view, protocol, and way
 * to measure. Whether a series grows or shrinks is told by the Mann–Kendall test over its medians.
 *
 * @param campaigns the oldest first.
 */
export function siteTrends(campaigns: Iterable<TrendCampaign>, metric: MetricName): TrendSeries[] {
  const series = new Map<string, TrendSeries>();
  for (const { visits, spec, id, createdAt, state, annotations, location, regressions } of campaigns) {
    const { engine, discovery, isolation, browser } = spec;
    const cells = new Map<string, { condition: string; view: View; protocol: Protocol; values: number[] }>();
    for (const { condition, view, protocol, value } of visits) {
      const name = `${condition} ${view} ${protocol}`;
      const cell = cells.get(name) ?? { condition, view, protocol, values: [] };
      cells.set(name, cell);
      cell.values.push(value);
    }
    for (const { values, ...cell } of cells.values()) {
      const condition = spec.conditions.find(({ name }) => name === cell.condition);
      const words = condition ? describeCondition(condition) : cell.condition;
      const of = { ...cell, words, engine, discovery, isolation, browser, location };
      const name = JSON.stringify(of);
      const its = series.get(name) ?? { ...of, points: [], trend: null };
      series.set(name, its);
      const worse = regressions.find((one) => one.metric === metric && isAt(cell, one));
      its.points.push({ campaignId: id, createdAt, state, annotations, ...pointOf(values), regression: worse?.words ?? null });
    }
  }
  return [...series.values()].map((its) => ({ ...its, trend: trendOf(its.points, metric) }));
}

type Place = Pick<TrendSeries, 'condition' | 'view' | 'protocol'>;
const isAt = (one: Place, other: Place) => one.condition === other.condition && one.view === other.view && one.protocol === other.protocol;

/**
 * H3-Delta of the medians from campaign to campaign, where both protocols have them.
 * @param series as `siteTrends` gives them.
 */
export function deltaTrends(series: readonly TrendSeries[]): DeltaSeries[] {
  return series.flatMap(({ points, protocol, trend: _trend, ...of }): DeltaSeries[] => {
    if (protocol !== 'h3') return [];
    const name = JSON.stringify(of);
    const other = series.find(({ points: _points, protocol: its, trend: _its, ...rest }) => its === 'h2' && JSON.stringify(rest) === name);
    const medianOf = new Map(other?.points.map(({ campaignId, median }) => [campaignId, median]));
    const deltas = points.flatMap(({ campaignId, createdAt, state, annotations, median }) => {
      const h2 = medianOf.get(campaignId);
      const delta = h2 === undefined ? null : deltaOfMedians(median, h2);
      return delta === null ? [] : [{ campaignId, createdAt, state, annotations, delta }];
    });
    return deltas.length === 0 ? [] : [{ ...of, points: deltas }];
  });
}

const pointOf = (values: readonly number[]): Pick<TrendPoint, 'n' | 'median' | 'p75' | 'interval'> => ({
  n: values.length,
  median: quantile(values, 0.5),
  p75: quantile(values, 0.75),
  interval: medianInterval(values),
});

function trendOf(points: readonly TrendPoint[], metric: MetricName): TrendSeries['trend'] {
  const medians = points.map(({ median }) => median);
  const found = medians.length < fewestPoints ? null : trend(medians);
  if (found === null) return null;
  const neighbours = autocorrelation(medians, { seed: medians.length, resamples: 499 });
  return { ...found, autocorrelation: neighbours, words: wordsOf(found, neighbours, medians.length, metric) };
}

function wordsOf(
  { p, slope }: { p: number; slope: number },
  neighbours: { coefficient: number; p: number } | null,
  campaigns: number,
  metric: MetricName,
): string {
  const share = `p ${p < 0.001 ? '< 0.001' : `= ${p.toPrecision(2)}`}, ${campaigns} campaigns`;
  if (p >= 0.05 || slope === 0) return `${metricTitle(metric)} neither grows nor shrinks as far as can be told (${share}).`;
  const by = Number(Math.abs(slope).toPrecision(2));
  const moves = `${metricTitle(metric)} ${slope > 0 ? 'grows' : 'shrinks'} by about ${by} from campaign to campaign (${share}).`;
  const alike = neighbours !== null && neighbours.coefficient > 0 && neighbours.p < 0.05;
  return alike ? `${moves} Neighbouring campaigns resemble one another, so it may be a wander, or one step, rather than a trend.` : moves;
}
