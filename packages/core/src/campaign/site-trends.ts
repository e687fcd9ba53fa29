import { bootstrapIntervals } from '../math/bootstrap.ts';
import { medianInterval, quantile } from '../math/quantile.ts';
import { autocorrelation, trend } from '../math/trend.ts';
import type { Campaign, SiteRequest } from '../schemas/campaign.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { Regression } from '../schemas/schedule.ts';
import type { DeltaSeries, SiteTrends, TrendPoint, TrendSeries } from '../schemas/site.ts';
import type { Visitor } from '../schemas/visitor.ts';
import { conditionDetails, describeCondition } from '../text/condition.ts';
import { visitorWords } from '../text/visitor.ts';
import { alpha } from '../verdict/cell-comparisons.ts';
import { roundsOf } from '../verdict/cell-samples.ts';
import type { Pair } from '../verdict/comparison.ts';
import { atLeastAll, atLeastMsOf, failed, minLimit, sampleOf } from '../verdict/counted-visits.ts';
import { deltaOfMedians } from '../verdict/h3-delta.ts';
import { type Look, looksOf } from '../verdict/sequential.ts';
import { finiteOf, knownOrNull } from '../verdict/summary.ts';
import type { View } from '../vocabulary/cell.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { endWords, engineWordsAt } from './compare/setup-key.ts';

/** A campaign, with the visits of one site in it that count. */
export type TrendCampaign = Pick<Campaign, 'id' | 'createdAt' | 'state' | 'annotations' | 'location'> & {
  spec: Omit<Campaign['spec'], 'sites'>;
  /** The site as in the campaign's request. */
  site: SiteRequest;
  /** The visitor of this site, if it differs from that of all sites. */
  visitor?: Visitor;
  /** Number of sites: the claims of its looks depend on it. */
  sites: number;
  /** In the order of their rounds, and of the slots in each. */
  /** value: as of `valueOfVisit`; limitMs: the time limit of its load; null: unknown. */
  visits: Iterable<{ condition: string; view: View; protocol: Protocol; roundNumber: number; value: number; limitMs?: number | null }>;
  /** Numbers of the site's finished rounds, whatever their visits gave: looks happen at these. */
  finished: (series: Pick<TrendSeries, 'condition' | 'view'>) => ReadonlySet<number>;
  /** Metrics that are worse at the site than in earlier campaigns of its schedule. */
  regressions: readonly Pick<Regression, 'condition' | 'view' | 'protocol' | 'metric' | 'words'>[];
};

/** The test's normal approximation is good from here on. */
const minPoints = 10;
/** With fewer points autocorrelation can't be detected. */
const minTelling = 30;

/**
 * One metric of a site from campaign to campaign, in series that can be compared: one condition with its numbers, view, protocol, visitor,
 * and setup. The Mann–Kendall test over a series' medians shows whether it grows or shrinks. Beside them, H3-Delta of the medians of each
 * campaign in which both protocols have one.
 *
 * @param campaigns oldest first.
 * @param options.withIntervals of H3-Delta, for the newest points as `newestIntervals` allows. Otherwise all are null.
 */
export function siteTrends(
  campaigns: Iterable<TrendCampaign>,
  metric: MetricName,
  { withIntervals }: { withIntervals: boolean },
): Pick<SiteTrends, 'series' | 'deltas'> {
  const series = new Map<string, TrendSeries>();
  const deltas = new Map<string, DeltaSeries>();
  const intervals = newestIntervals();
  /** By their names, and by their details: their words in short. */
  const conditions = new Map<string, Map<string, string>>();
  for (const campaign of campaigns) {
    const { visits, spec, id, createdAt, state, annotations, location, regressions } = campaign;
    const { discovery, isolation, browser } = spec;
    const visitor = visitorWords(campaign.visitor ?? spec.visitor ?? {});
    const of = { campaignId: id, createdAt, state, annotations };
    const samples = samplesOf(visits);
    for (const one of spec.conditions) {
      conditions.set(one.name, (conditions.get(one.name) ?? new Map()).set(conditionDetails(one), describeCondition(one)));
    }
    const looks = withIntervals ? looksOf(spec, campaign.sites) : null;
    for (const [name, { condition, view, protocol, values, limitMs, ofRound }] of samples) {
      const known = spec.conditions.find((one) => one.name === condition);
      const comparable = {
        condition,
        words: known ? conditionDetails(known) : condition,
        view,
        engine: engineWordsAt(spec, campaign.site),
        discovery,
        isolation,
        browser,
        location,
        visitor,
        ends: endWords(spec.limits),
      };
      const worse = regressions.find((one) => one.metric === metric && sampleKey(one) === name);
      const its = entryOf<TrendSeries>(series, { ...comparable, protocol }, { points: [], trend: null });
      its.points.push({ ...of, ...pointOf(values, limitMs ?? atLeastMsOf(spec)), regression: worse?.words ?? null });
      const h2 = protocol === 'h3' ? samples.get(sampleKey({ condition, view, protocol: 'h2' })) : undefined;
      const delta = h2 === undefined ? null : deltaOfMedians(quantile(values, 0.5), quantile(h2.values, 0.5));
      if (h2 === undefined || delta === null) continue;
      const point: DeltaSeries['points'][number] = { ...of, delta, interval: null };
      entryOf<DeltaSeries>(deltas, comparable, { points: [] }).points.push(point);
      if (!withIntervals) continue;
      const finished = looks && campaign.finished({ condition, view });
      intervals.add(point, { h3: ofRound, h2: h2.ofRound }, { looks, finished, complete: state === 'done', seed: spec.seed });
    }
  }
  intervals.make();
  return {
    series: Array.from(series.values(), (its) => ({ ...its, words: shortWords(its), trend: trendOf(its.points, metric) })),
    deltas: Array.from(deltas.values(), (its) => ({ ...its, words: shortWords(its) })),
  };

  /** In short, unless its name was that of another condition too. */
  function shortWords({ condition, words }: Pick<TrendSeries, 'condition' | 'words'>): string {
    const namesakes = conditions.get(condition);
    return namesakes?.size === 1 ? (namesakes.get(words) ?? words) : words;
  }
}

type SampleName = Pick<TrendSeries, 'condition' | 'view' | 'protocol'>;
const sampleKey = ({ condition, view, protocol }: SampleName) => `${condition} ${view} ${protocol}`;

/** The visits to the site under one condition, in one view, over one protocol. */
type SiteSample = SampleName & {
  values: number[];
  /** The shortest limit of failed loads. */
  limitMs: number | null;
  /** One value for each round. */
  ofRound: Map<number, number>;
};

function samplesOf(visits: TrendCampaign['visits']): Map<string, SiteSample> {
  const samples = new Map<string, SiteSample>();
  for (const { condition, view, protocol, roundNumber, value, limitMs = null } of visits) {
    const name = { condition, view, protocol };
    const sample = entryOf<SiteSample>(samples, name, { values: [], limitMs: null, ofRound: new Map() }, sampleKey(name));
    sample.values.push(value);
    sample.limitMs = minLimit(sample.limitMs, limitMs);
    // With several slots, the first one that has a number represents the round, as in a campaign's comparisons.
    if (value !== Number.NEGATIVE_INFINITY && !sample.ofRound.has(roundNumber)) sample.ofRound.set(roundNumber, value);
  }
  for (const [key, sample] of samples) {
    sample.values = sampleOf(sample.values);
    if (sample.values.length === 0) samples.delete(key);
  }
  return samples;
}

/** The entry with these properties; a new one starts with `begun`. */
function entryOf<One>(all: Map<string, One>, of: Partial<One>, begun: Partial<One>, key = JSON.stringify(of)): One {
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
  const test = medians.length < minPoints ? null : trend(medians);
  if (test === null) return null;
  const neighbours = medians.includes(failed) ? null : autocorrelation(medians, { seed: medians.length, resamples: 499 });
  return {
    ...test,
    slope: knownOrNull(test.slope),
    autocorrelation: neighbours,
    words: wordsOf(test, neighbours, medians.length, metric),
  };
}

function wordsOf(
  { p, slope }: { p: number; slope: number },
  neighbours: { coefficient: number; p: number } | null,
  campaigns: number,
  metric: MetricName,
): string {
  const share = `p ${p < 0.001 ? '< 0.001' : `= ${p.toPrecision(2)}`}, ${campaigns} campaigns`;
  if (p >= 0.05 || slope === 0) return `No clear trend in ${metricTitle(metric)} (${share}).`;
  const by = Number(Math.abs(slope).toPrecision(2));
  const much = Number.isFinite(by) ? ` by about ${by} from campaign to campaign` : ': the loads of some campaigns failed';
  const moves = `${metricTitle(metric)} ${slope > 0 ? 'grows' : 'shrinks'}${much} (${share}).`;
  const alike = neighbours !== null && neighbours.coefficient > 0 && neighbours.p < 0.05;
  const wander = 'so it may be a random walk, or a single step, rather than a trend';
  if (alike) return `${moves} Successive campaigns are correlated, ${wander}.`;
  return campaigns < minTelling ? `${moves} So few campaigns can’t show whether successive ones are correlated, ${wander}.` : moves;
}

/** One metric of a cell, by round number. */
type Rounds = Record<'h3' | 'h2', ReadonlyMap<number, number>>;
/** How the campaign's comparison judges them. */
type Judged = {
  /** Null: a fixed number of rounds; then the finished ones don't matter. */
  looks: readonly Look[] | null;
  /** Numbers of the finished rounds, including those without the metric. */
  finished: ReadonlySet<number> | null;
  /** True if every round had its turn. */
  complete: boolean;
  seed: number;
};

/** An interval of n rounds takes about 0.04 ms × (n + 10): all of an answer take a second, or two on a slow machine. */
const maxRounds = 25_000;
const ofEach = 10;

/**
 * @param budget rounds of all points that get intervals; each point counts as ten more.
 * @returns `add` collects points, oldest first; `make` then gives the newest of them their intervals.
 */
export function newestIntervals(budget = maxRounds) {
  type Waiting = { point: DeltaSeries['points'][number]; pairs: Pair[]; confidence: number; seed: number };
  const waiting: Waiting[] = [];
  let rounds = 0;
  return {
    add(point: Waiting['point'], { h3, h2 }: Rounds, { looks, finished, complete, seed }: Judged): void {
      const { numbers, level } = roundsOf({ finished: finished ?? new Set([...h3.keys(), ...h2.keys()]) }, looks, complete);
      const judged = new Set(numbers);
      // The delta includes these rounds: the comparison's interval is for another delta.
      if ([...h3.keys(), ...h2.keys()].some((number) => !judged.has(number))) return;
      const pairs = numbers.flatMap((number) => {
        const [candidate, baseline] = [h3.get(number), h2.get(number)];
        return candidate === undefined || baseline === undefined ? [] : [{ candidate, baseline }];
      });
      if (pairs.length === 0) return;
      waiting.push({ point, pairs, confidence: 1 - (level ?? alpha), seed });
      rounds += pairs.length + ofEach;
      while (rounds > budget) rounds -= (waiting.shift() as Waiting).pairs.length + ofEach;
    },

    make(): void {
      for (const { point, pairs, confidence, seed } of waiting) {
        const interval = bootstrapIntervals(pairs, { seed, confidence })?.delta;
        if (interval) point.interval = { low: interval.low, high: interval.high };
      }
    },
  };
}
