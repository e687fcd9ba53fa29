// An assertion as its fields have it. Numbers are shown in the unit that people write, and stored in that of the metric.
import type { Assertion, GateMetric, MetricName } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { unitNames } from '../../text/format.ts';
import { gateMetricNames, metricsIn, type Unit } from '../../text/vocabulary.ts';
import { changed, exact } from '../forms/fields.ts';

export const kindNames: Readonly<Record<Assertion['kind'], string>> = {
  bound: 'A limit',
  protocols: 'One protocol against another',
  baseline: 'Not worse than before',
};

/** What one unit of the shown number is in the metric's own. */
const factors: Readonly<Record<Unit, number>> = {
  ms: 1,
  µs: 1,
  bytes: 1000,
  'bytes/s': 1000,
  'per second': 1,
  share: 0.01,
  count: 1,
  score: 1,
};

export const shownUnit = (metric: GateMetric): string => unitNames[gateMetricNames[metric].unit];
export const toShown = (metric: GateMetric, value: number): number => exact(value / factors[gateMetricNames[metric].unit]);
export const fromShown = (metric: GateMetric, shown: number): number => exact(shown * factors[gateMetricNames[metric].unit]);

/** More is better for rates: their limit is a minimum, and lower is worse. */
export const isBetterHigh = (metric: GateMetric) => ['per second', 'bytes/s'].includes(gateMetricNames[metric].unit);

/** What a gate judges: pages, runs of REST calls, or either. */
export type Judged = 'pages' | 'runs' | 'either';

/** The metrics to choose from, under a heading where some are of one kind and some of the other. */
export function metricGroups(judged: Judged): { label: string; metrics: readonly GateMetric[] }[] {
  const [ofPages, ofRuns] = [metricsIn({ engine: 'puppeteer' }), metricsIn({ engine: 'transaction' })];
  if (judged !== 'either') return [{ label: '', metrics: [...(judged === 'runs' ? ofRuns : ofPages), 'failedShare'] }];
  const only = (one: readonly MetricName[], other: readonly MetricName[]) => one.filter((metric) => !other.includes(metric));
  return [
    { label: 'Of pages', metrics: only(ofPages, ofRuns) },
    { label: 'Of REST calls', metrics: only(ofRuns, ofPages) },
    { label: 'Of both', metrics: [...ofPages.filter((metric) => ofRuns.includes(metric)), 'failedShare'] },
  ];
}

/** The same of another metric: a number in another unit stays as it is shown, and which side is worse is the metric's. */
export function withMetric(assertion: Assertion, metric: GateMetric): Assertion {
  const [wasHigh, isHigh] = [isBetterHigh(assertion.metric), isBetterHigh(metric)];
  if (assertion.kind !== 'bound')
    return defined({ ...assertion, metric: ofVisit(metric), ...(wasHigh === isHigh ? {} : { not: isHigh ? 'below' : undefined }) });
  // Three quarters of the visits are to keep it.
  const turned =
    wasHigh === isHigh
      ? {}
      : assertion.statistic === 'p75'
        ? { statistic: 'p25' }
        : assertion.statistic === 'p25'
          ? { statistic: 'p75' }
          : {};
  const own = metric === 'failedShare' ? { statistic: undefined } : turned;
  const isSameUnit = gateMetricNames[metric].unit === gateMetricNames[assertion.metric].unit;
  if (isSameUnit) return defined({ ...assertion, metric, ...own });
  const shown = toShown(assertion.metric, (wasHigh ? assertion.min : assertion.max) ?? assertion.max ?? assertion.min ?? 0);
  const limit = fromShown(metric, shown);
  return defined({ ...assertion, metric, ...own, ...(isHigh ? { min: limit, max: undefined } : { max: limit, min: undefined }) });
}

/** One or many, as lists. */
export const listOf = <Item extends string>(given: Item | Item[] | undefined): Item[] =>
  given === undefined ? [] : Array.isArray(given) ? given : [given];

/** The other way round: none is left out, one stands alone. */
export function oneOrMore<Item extends string>(list: readonly Item[]): Item | Item[] | undefined {
  return list.length === 0 ? undefined : list.length === 1 ? list[0] : [...list];
}

/** What a gate begins with. */
export const newAssertion: Assertion = { kind: 'bound', metric: 'onLoad', statistic: 'p75', max: 2500 };

/** The same of another kind: metric and places stay, and what the other kind needs has a usual value. */
export function asKind(assertion: Assertion, kind: Assertion['kind']): Assertion {
  if (assertion.kind === kind) return assertion;
  const { metric, statistic, site, condition, view } = assertion;
  const protocol = assertion.kind === 'protocols' ? undefined : assertion.protocol;
  const own = statistic === undefined || statistic === 'shift' ? {} : { statistic };
  const margin = assertion.kind === 'bound' ? undefined : assertion.margin;
  const not = assertion.kind === 'bound' ? undefined : assertion.not;
  const common = { metric, site, condition, view };
  switch (kind) {
    case 'bound':
      return defined({
        ...{ kind, ...own, ...common, protocol },
        ...(isBetterHigh(metric) ? { min: fromShown(metric, 500) } : { max: gateMetricNames[metric].unit === 'share' ? 1 : 2500 }),
      });
    case 'protocols':
      return defined({
        kind,
        ...common,
        metric: ofVisit(metric),
        candidate: 'h3' as Protocol,
        baseline: 'h2' as Protocol,
        margin: margin ?? 0.05,
        not: not ?? (isBetterHigh(metric) ? 'below' : undefined),
      });
    case 'baseline':
      return defined({
        kind,
        ...own,
        ...common,
        metric: ofVisit(metric),
        protocol,
        margin: margin ?? 0.1,
        not: not ?? (isBetterHigh(metric) ? 'below' : undefined),
      });
  }
}

/** Without what is undefined. */
export const defined = (given: object): Assertion => changed(given, {}) as Assertion;

/** The share of failed loads has a limit alone. */
const ofVisit = (metric: GateMetric): MetricName => (metric === 'failedShare' ? 'onLoad' : metric);
