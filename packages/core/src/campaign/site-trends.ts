import { autocorrelation } from '../math/autocorrelation.ts';
import { medianInterval } from '../math/median-interval.ts';
import { quantile } from '../math/quantile.ts';
import { trend } from '../math/trend.ts';
import type { Campaign, SiteRequest } from '../schemas/campaign.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { Regression } from '../schemas/schedule.ts';
import type { DeltaSeries, SiteTrends, TrendPoint, TrendSeries } from '../schemas/site.ts';
import type { Visitor } from '../schemas/visitor.ts';
import { describeCondition } from '../text/condition.ts';
import { visitorWords } from '../text/visitor.ts';
import { atLeastAll, atLeastMsOf, shorterLimit } from '../verdict/at-least.ts';
import { failed, sampleOf } from '../verdict/counted-visits.ts';
import { deltaOfMedians } from '../verdict/h3-delta.ts';
import { finiteOf, knownOrNull } from '../verdict/summary.ts';
import type { View } from '../vocabulary/cell.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { endWords, engineWordsAt } from './compare/setup-key.ts';
import { looksOf } from './results.ts';
import { newestIntervals } from './trend-intervals.ts';

/** A campaign, with the visits of one site in it that count. */
export type TrendCampaign = Pick<Campaign, 'id' | 'createdAt' | 'state' | 'annotations' | 'location'> & {
  spec: Omit<Campaign['spec'], 'sites'>;
  /** As the campaign asked for it. */
  site: SiteRequest;
  /** Who visits this site, where that is another than all sites' visitor. */
  visitor?: Visitor;
  /** How many sites it has: what its looks may claim depends on that. */
  sites: number;
  /** In the order of their rounds, and of the slots in each. */
  /** value: as `valueOfVisit` has it; limitMs: what that one had to load; null: not known. */
  visits: Iterable<{ condition: string; view: View; protocol: Protocol; roundNumber: number; value: number; limitMs?: number | null }>;
  /** Numbers of the site's finished rounds, whatever their visits gave: looks are taken at these. */
  finished: (place: Pick<TrendSeries, 'condition' | 'view'>) => ReadonlySet<number>;
  /** What is worse at the site than in the campaigns of its schedule before. */
  regressions: readonly Pick<Regression, 'condition' | 'view' | 'protocol' | 'metric' | 'words'>[];
};

/** Fewer say nothing: the test's normal approximation is good from here on. */
const fewestPoints = 10;
/** In fewer it can't be seen whether neighbours resemble one another. */
const fewestTelling = 30;

/**
 * One metric of a site from campaign to campaign, in series of what can be compared: one condition with its numbers, view, protocol, visitor, and
 * way to measure. Whether a series grows or shrinks is told by the Mann–Kendall test over its medians. Beside them, H3-Delta of the medians
 * of each campaign in which both protocols have one.
 *
 * @param campaigns the oldest first.
 * @param options.withIntervals of H3-Delta, for as many of the newest points as `newestIntervals` makes. Without them all are null.
 */
export function siteTrends(
  campaigns: Iterable<TrendCampaign>,
  metric: MetricName,
  { withIntervals }: { withIntervals: boolean },
): Pick<SiteTrends, 'series' | 'deltas'> {
  const series = new Map<string, TrendSeries>();
  const deltas = new Map<string, DeltaSeries>();
  const intervals = newestIntervals();
  for (const campaign of campaigns) {
    const { visits, spec, id, createdAt, state, annotations, location, regressions } = campaign;
    const { discovery, isolation, browser } = spec;
    const visitor = visitorWords(campaign.visitor ?? spec.visitor ?? {});
    const of = { campaignId: id, createdAt, state, annotations };
    const cells = cellsOf(visits);
    const looks = withIntervals ? looksOf(spec, campaign.sites) : null;
    for (const [name, { condition, view, protocol, values, limitMs, ofRound }] of cells) {
      const known = spec.conditions.find((one) => one.name === condition);
      const comparable = {
        condition,
        words: known ? describeCondition(known) : condition,
        view,
        engine: engineWordsAt(spec, campaign.site),
        discovery,
        isolation,
        browser,
        location,
        visitor,
        ends: endWords(spec.limits),
      };
      const worse = regressions.find((one) => one.metric === metric && keyOf(one) === name);
      const its = held<TrendSeries>(series, { ...comparable, protocol }, { points: [], trend: null });
      its.points.push({ ...of, ...pointOf(values, limitMs ?? atLeastMsOf(spec)), regression: worse?.words ?? null });
      const h2 = protocol === 'h3' ? cells.get(keyOf({ condition, view, protocol: 'h2' })) : undefined;
      const delta = h2 === undefined ? null : deltaOfMedians(quantile(values, 0.5), quantile(h2.values, 0.5));
      if (h2 === undefined || delta === null) continue;
      const point: DeltaSeries['points'][number] = { ...of, delta, interval: null };
      held<DeltaSeries>(deltas, comparable, { points: [] }).points.push(point);
      if (!withIntervals) continue;
      const finished = looks && campaign.finished({ condition, view });
      intervals.add(point, { h3: ofRound, h2: h2.ofRound }, { looks, finished, complete: state === 'done', seed: spec.seed });
    }
  }
  intervals.make();
  return { series: Array.from(series.values(), (its) => ({ ...its, trend: trendOf(its.points, metric) })), deltas: [...deltas.values()] };
}

type Place = Pick<TrendSeries, 'condition' | 'view' | 'protocol'>;
const keyOf = ({ condition, view, protocol }: Place) => `${condition} ${view} ${protocol}`;

/** The visits of one condition, view and protocol. */
type Cell = Place & {
  values: number[];
  /** The shortest of those that failed. */
  limitMs: number | null;
  /** One of each round. */
  ofRound: Map<number, number>;
};

function cellsOf(visits: TrendCampaign['visits']): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const { condition, view, protocol, roundNumber, value, limitMs = null } of visits) {
    const place = { condition, view, protocol };
    const cell = held<Cell>(cells, place, { values: [], limitMs: null, ofRound: new Map() }, keyOf(place));
    cell.values.push(value);
    cell.limitMs = shorterLimit(cell.limitMs, limitMs);
    // Of several slots the first that has a number stands for the round, as in a campaign's comparisons.
    if (value !== Number.NEGATIVE_INFINITY && !cell.ofRound.has(roundNumber)) cell.ofRound.set(roundNumber, value);
  }
  for (const [key, cell] of cells) {
    cell.values = sampleOf(cell.values);
    if (cell.values.length === 0) cells.delete(key);
  }
  return cells;
}

/** The one with these properties; made of them and of what it begins with where there is none yet. */
function held<One>(all: Map<string, One>, of: Partial<One>, begun: Partial<One>, key = JSON.stringify(of)): One {
  const one = all.get(key) ?? ({ ...of, ...begun } as One);
  all.set(key, one);
  return one;
}

function pointOf(
  values: readonly number[],
  atLeastMs: number,
): Pick<TrendPoint, 'n' | 'failed' | 'atLeastMs' | 'median' | 'p75' | 'interval'> {
  const interval = medianInterval(values);
  return {
    n: values.length,
    failed: values.length - finiteOf(values).length,
    atLeastMs: atLeastAll(atLeastMs, values),
    median: knownOrNull(quantile(values, 0.5)),
    p75: knownOrNull(quantile(values, 0.75)),
    interval: interval && { low: knownOrNull(interval.low), high: knownOrNull(interval.high) },
  };
}

function trendOf(points: readonly TrendPoint[], metric: MetricName): TrendSeries['trend'] {
  const medians = points.map(({ median }) => median ?? failed);
  const found = medians.length < fewestPoints ? null : trend(medians);
  if (found === null) return null;
  const neighbours = medians.includes(failed) ? null : autocorrelation(medians, { seed: medians.length, resamples: 499 });
  return {
    ...found,
    slope: knownOrNull(found.slope),
    autocorrelation: neighbours,
    words: wordsOf(found, neighbours, medians.length, metric),
  };
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
  const much = Number.isFinite(by) ? ` by about ${by} from campaign to campaign` : ': the loads of some campaigns failed';
  const moves = `${metricTitle(metric)} ${slope > 0 ? 'grows' : 'shrinks'}${much} (${share}).`;
  const alike = neighbours !== null && neighbours.coefficient > 0 && neighbours.p < 0.05;
  const wander = 'so it may be a wander, or one step, rather than a trend';
  if (alike) return `${moves} Neighbouring campaigns resemble one another, ${wander}.`;
  return campaigns < fewestTelling ? `${moves} So few campaigns can’t show whether neighbours resemble one another, ${wander}.` : moves;
}
