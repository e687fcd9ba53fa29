// An assertion as its fields hold it. Numbers are shown in the unit that people write, and stored in the metric's.
import type { Assertion, GateMetric, MetricName } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { unitNames } from '../../text/format.ts';
import { gateMetricNames, metricsIn, protocolNames, type Unit } from '../../text/vocabulary.ts';
import { type Change, changed, exact, type Field, listed, type TextForm } from '../forms/fields.ts';

const kindNames: Readonly<Record<Assertion['kind'], string>> = {
  bound: 'A limit',
  protocols: 'One protocol against another',
  baseline: 'Not worse than before',
};

/** One unit of the shown number, in the metric's own unit. */
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

/** More is better for rates: their limit is a minimum, and lower values are worse. */
export const isBetterHigh = (metric: GateMetric) => ['per second', 'bytes/s'].includes(gateMetricNames[metric].unit);

/** The subject of a gate: pages, runs of REST calls, or either. */
export type Judged = 'pages' | 'runs' | 'either';

/** The metrics to choose from, under headings where there are two kinds. */
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
  // Three quarters of the visits must meet the limit.
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

/** The reverse: none is left out, one stands alone. */
export function oneOrMore<Item extends string>(list: readonly Item[]): Item | Item[] | undefined {
  return list.length === 0 ? undefined : list.length === 1 ? list[0] : [...list];
}

/** A new gate's first assertion. */
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

/** An assertion by the keys of all kinds, as its fields change it. */
export type AnyAssertion = Partial<
  Record<Exclude<keyof Extract<Assertion, { kind: 'bound' }> | keyof Extract<Assertion, { kind: 'protocols' }>, symbol>, unknown>
>;

/** A list of one view is that view; a shift is the usual statistic, which the placeholder names. */
export function shownAssertion(assertion: Assertion): AnyAssertion {
  const { statistic, view } = assertion;
  return {
    ...assertion,
    statistic: statistic === 'shift' ? undefined : statistic,
    view: listOf(view).length === 1 ? listOf(view)[0] : undefined,
  };
}

export function changedAssertion(assertion: Assertion, change: Change<AnyAssertion>): Assertion {
  if (change.kind !== undefined) return asKind(assertion, change.kind as Assertion['kind']);
  if (change.metric !== undefined) return withMetric(assertion, change.metric as GateMetric);
  return defined({ ...assertion, ...change });
}

const namesOf = (names: Readonly<Record<string, string>>) => Object.entries(names).map(([value, name]) => ({ value, name }));

export function assertionFields(assertion: Assertion, judged: Judged): Field<AnyAssertion>[] {
  const { kind, metric, statistic } = assertion;
  const groups = metricGroups(judged).map(({ label, metrics }) => ({
    label,
    metrics: metrics.filter((each) => kind === 'bound' || each !== 'failedShare'),
  }));
  const isKnown = groups.some(({ metrics }) => metrics.includes(metric));
  // A chosen metric that is not measured here is listed, so that it is seen; the service says what is wrong with it.
  const choices = [...groups, ...(isKnown ? [] : [{ label: 'Not measured here', metrics: [metric] }])].flatMap(({ label, metrics }) =>
    metrics.map((value) => ({ value, name: gateMetricNames[value].name, group: label })),
  );
  const isOfRuns = judged === 'runs' || !metricGroups('pages').some(({ metrics }) => metrics.includes(metric));
  const usual = { bound: isBetterHigh(metric) ? 'p25' : 'p75', protocols: 'typical ratio within a round', baseline: 'median' } as const;
  return [
    { kind: 'choice', key: 'kind', label: 'What must hold', choices: namesOf(kindNames), empty: 'bound' },
    { kind: 'choice', key: 'metric', label: 'Metric', choices, empty: choices[0]?.value },
    ...(metric === 'failedShare' && statistic === undefined ? [] : [statisticField(usual[kind], isOfRuns)]),
    ...(kind === 'bound' ? limitFields(metric) : [...(kind === 'protocols' ? protocolFields : []), ...worseFields]),
  ];
}

const statisticField = (placeholder: string, isOfRuns: boolean): Field<AnyAssertion> => ({
  ...{ key: 'statistic', label: 'Statistic', placeholder, suggestions: ['median', 'p25', 'p75', 'p90', 'p95', 'p99', 'mean'] },
  hint: isOfRuns ? 'Of the runs. A percentile of their requests is in the metric’s name.' : '',
});

function limitFields(metric: GateMetric): Field<AnyAssertion>[] {
  const unit = shownUnit(metric) === '' ? '' : ` (${shownUnit(metric)})`;
  const number = { kind: 'number', factor: 1 / factors[gateMetricNames[metric].unit] } as const;
  return [
    { ...number, key: 'max', label: `At most${unit}` },
    { ...number, key: 'min', label: `At least${unit}` },
  ];
}

const protocolFields: readonly Field<AnyAssertion>[] = [
  { kind: 'choice', key: 'candidate', label: 'This protocol', choices: namesOf(protocolNames), empty: 'h1' },
  { kind: 'choice', key: 'baseline', label: 'compared with', choices: namesOf(protocolNames), empty: 'h1' },
];
const worseFields: readonly Field<AnyAssertion>[] = [
  { kind: 'number', key: 'margin', label: 'may be worse by (%)', factor: 100, empty: Number.NaN },
  {
    ...{ kind: 'choice', key: 'not', label: 'Worse is' },
    choices: [
      { value: 'above', name: 'higher: times, bytes, costs' },
      { value: 'below', name: 'lower: rates, shares that should be high' },
    ],
  },
];

/** One or many, with separators. */
const names = (separator: string, joint: string): TextForm<string | string[]> => ({
  read: (text) => oneOrMore(listed(text, separator)),
  write: (given) => listOf(given).join(joint),
});

/** The fields that restrict an assertion, besides its protocols. */
export const placeFields = (conditions: readonly string[]): Field<AnyAssertion>[] => [
  {
    ...{
      kind: 'lines',
      key: 'condition',
      label: 'Conditions',
      form: names(',', ', '),
      rows: 0,
      suggestions: conditions,
      placeholder: 'each',
    },
    hint: 'Names, separated by commas; * matches any text, as in latency-*.',
  },
  {
    ...{ kind: 'choice', key: 'view', label: 'View' },
    choices: [
      { value: '', name: 'each' },
      { value: 'cold', name: 'cold: nothing kept' },
      { value: 'warm', name: 'warm: repeat view' },
    ],
  },
  {
    ...{ kind: 'lines', key: 'site', label: 'Sites', form: names('\n', '\n'), rows: 1, placeholder: 'each' },
    hint: 'One name or URL per line; * matches any text.',
  },
];

/** Leaves out undefined values. */
export const defined = (given: object): Assertion => changed(given, {}) as Assertion;

/** The share of failed loads allows only a limit. */
const ofVisit = (metric: GateMetric): MetricName => (metric === 'failedShare' ? 'onLoad' : metric);
