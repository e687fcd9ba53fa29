// Assertions as one line of text, such as "onLoad p75 h3 <= 2.5 s on 4g", read and written.
import type { Assertion, GateMetric } from '../schemas/gate.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { type View, views } from '../vocabulary/cell.ts';
import type { Engine } from '../vocabulary/engine.ts';
import { gateMetrics, gateMetricsOf, metricUnit, writtenUnits } from '../vocabulary/metric.ts';
import { type Protocol, protocols } from '../vocabulary/protocol.ts';
import { metricMeant, metricNamed } from './meant.ts';

const form =
  'METRIC [STATISTIC] [PROTOCOL] <= or >= NUMBER [UNIT], or PROTOCOL + PERCENT %, or baseline + PERCENT %; then [on CONDITION] [cold or warm] [at SITE]';

/**
 * Reads an assertion. It means exactly what the object form says; nothing is guessed. A metric may also be named by its initials.
 *
 * @throws RangeError that names the text, the wrong part and what was expected.
 */
export function parseAssertion(text: string): Assertion {
  const fail = (what: string): never => {
    throw new RangeError(`assertion "${text}": ${what}`);
  };
  const [, left = '', operator = '', right = ''] = /^([^<>=≤≥]+)([<>=≤≥]+)(.+)$/u.exec(text)?.map((part) => part.trim()) ?? [];
  if (left === '' || right === '') return fail(`there is no <= or >= in it; expected ${form}`);
  // No metric is below 0: "= 0" and "<= 0" mean the same.
  const isNone = /^==?$/.test(operator) && /^0(?![\d.])/.test(right);
  if (!isNone && !/^(<=|>=|≤|≥)$/u.test(operator)) fail(`"${operator}" is used where <= or >= is expected; limits are inclusive`);
  const atMost = isNone || operator === '<=' || operator === '≤';

  const [metricText = '', ...words] = left.split(/\s+/);
  const metric = metricNamed(metricText);
  if (metric === undefined) {
    const meant = metricMeant(metricText);
    return fail(
      `there is no metric "${metricText}"; ${meant === undefined ? `expected one of ${gateMetrics.join(', ')}` : `did you mean ${meant}?`}`,
    );
  }
  const own: { statistic?: string; protocol?: Protocol[] } = {};
  for (const word of words) {
    if (/^(mean|median|p\d+(\.\d+)?)$/.test(word) && own.statistic === undefined) own.statistic = word;
    else if (isList(word, protocols) && own.protocol === undefined) own.protocol = word.split(',') as Protocol[];
    else fail(`"${word}" is neither a statistic (median, mean, p75) nor a protocol (${protocols.join(', ')}), or the second one`);
  }
  const statistic = own.statistic === undefined ? {} : { statistic: own.statistic };
  const protocol = own.protocol === undefined ? {} : { protocol: single(own.protocol) };

  const relation = /^(?<other>h1|h2|h3|baseline)(?:\s*(?<sign>[+\-−])\s*(?<percent>\d+(?:\.\d+)?)\s*%)?(?:\s+(?<where>.*))?$/u.exec(
    right,
  )?.groups;
  if (relation) {
    if (metric === 'failedShare')
      return fail(`failedShare is compared with a number, such as failedShare <= 2 %; verdicts show whether one protocol fails more`);
    const { other = '', sign, percent = '0', where = '' } = relation;
    if (sign !== undefined && (sign === '+') !== atMost)
      fail(`"${operator} ${other} ${sign}" allows less than nothing; expected <= with +, or >= with −`);
    const common = {
      metric,
      ...statistic,
      margin: fromPercent(percent),
      ...(atMost ? {} : { not: 'below' as const }),
      ...scopeOf(where, fail),
    };
    if (other === 'baseline') return { kind: 'baseline', ...common, ...protocol };
    const [candidate, ...more] = own.protocol ?? [];
    if (candidate === undefined || more.length > 0) return fail(`one protocol is expected before ${operator} ${other}, such as h3`);
    return { kind: 'protocols', ...common, candidate, baseline: other as Protocol };
  }
  const bound = /^(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(?<unit>%|[A-Za-zµμ]*\/s|[A-Za-zµμ]+)?(?:\s+(?<where>.*))?$/iu.exec(
    right,
  )?.groups;
  if (!bound) return fail(`"${right}" begins with neither a number, nor a protocol, nor baseline; expected ${form}`);
  const { number = '', unit, where = '' } = splitUnit(bound);
  const units = writtenUnits[metricUnit(metric)];
  // Keyboards write the micro sign, and some the Greek letter.
  const factor = unit === undefined ? 1 : units[unit.replace('μ', 'µ')];
  if (unit === undefined && Number(number) !== 0 && needsUnit(metric)) {
    const written = Object.keys(units).map((one) => `${number} ${one}`);
    return fail(`${number} of ${metric} has no unit; expected ${writtenOr(written)}`);
  }
  if (factor === undefined) {
    const known = Object.keys(units);
    return fail(
      `${metric} has no unit "${unit}"; expected ${known.length === 0 ? 'a plain number' : needsUnit(metric) ? writtenOr(known) : `${known.join(', ')} or none`}`,
    );
  }
  if (metric === 'failedShare' && own.statistic !== undefined)
    return fail(`failedShare is one number over all visits; expected no ${own.statistic}`);
  const limit = Number((Number(number) * factor).toPrecision(15));
  return { kind: 'bound', metric, ...statistic, ...(atMost ? { max: limit } : { min: limit }), ...protocol, ...scopeOf(where, fail) };
}

/** 2.5 may be seconds or milliseconds, 2 may be 2 % or twice everything. A metric with a single unit, or none, needs none. */
const needsUnit = (metric: GateMetric): boolean => {
  const unit = metricUnit(metric);
  return unit === 'share' || Object.keys(writtenUnits[unit]).length > 1;
};

const writtenOr = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Words that begin a scope are not units: "requests <= 40 on 4g". */
function splitUnit({ number, unit, where }: Record<string, string | undefined>) {
  const begins = unit !== undefined && /^(on|at|cold|warm)$/.test(unit);
  return begins ? { number, unit: undefined, where: `${unit} ${where ?? ''}` } : { number, unit, where };
}

type Scope = Pick<Assertion, 'condition' | 'view' | 'site'>;

function scopeOf(where: string, fail: (what: string) => never): Scope {
  const scope: Scope = {};
  const words = where.split(/\s+/).filter((word) => word !== '');
  while (words.length > 0) {
    const word = words.shift() as string;
    if (isList(word, views) && scope.view === undefined) scope.view = single(word.split(',') as View[]);
    else if ((word === 'on' && scope.condition === undefined) || (word === 'at' && scope.site === undefined)) {
      const named = words.shift() ?? fail(`after "${word}" the name of a ${word === 'on' ? 'condition' : 'site'} is expected`);
      if (word === 'on') scope.condition = single(named.split(','));
      else scope.site = named;
    } else fail(`"${word}" is not expected there; expected on CONDITION, cold, warm or at SITE`);
  }
  return scope;
}

/**
 * Writes an assertion as `parseAssertion` reads it. If its site is a list, or has a space in its name, only people can read it.
 */
export function describeAssertion(assertion: Assertion): string {
  const { kind, metric, statistic } = assertion;
  const scope = [
    ...(assertion.condition === undefined ? [] : [`on ${joined(assertion.condition)}`]),
    ...(assertion.view === undefined ? [] : [joined(assertion.view)]),
    ...(assertion.site === undefined ? [] : [`at ${joined(assertion.site)}`]),
  ];
  const own = [metric, ...(statistic === undefined || statistic === 'shift' ? [] : [statistic])];
  if (kind === 'protocols') {
    const { candidate, baseline } = assertion;
    return [...own, candidate, relationWords(assertion, baseline), ...scope].join(' ');
  }
  if (assertion.protocol !== undefined) own.push(joined(assertion.protocol));
  if (kind === 'baseline') return [...own, relationWords(assertion, 'baseline'), ...scope].join(' ');
  const limits = [
    ...(assertion.max === undefined ? [] : [`<= ${written(metric, assertion.max)}`]),
    ...(assertion.min === undefined ? [] : [`>= ${written(metric, assertion.min)}`]),
  ];
  return [...own, limits.join(' and '), ...scope].join(' ');
}

function relationWords({ not = 'above', margin }: { not?: 'above' | 'below'; margin: number }, other: string): string {
  const allowed = margin === 0 ? '' : ` ${not === 'above' ? '+' : '-'} ${Number((margin * 100).toPrecision(12))} %`;
  return `${not === 'above' ? '<=' : '>='} ${other}${allowed}`;
}

function written(metric: GateMetric, value: number): string {
  const [unit, factor = 1] = Object.entries(writtenUnits[metricUnit(metric)])[0] ?? [];
  return unit === undefined ? `${value}` : `${Number((value / factor).toPrecision(15))} ${unit}`;
}

const fromPercent = (percent: string): number => Number((Number(percent) / 100).toPrecision(12));
const isList = (word: string, known: readonly string[]) => word.split(',').every((one) => known.includes(one));
const single = <T>(list: T[]): T | T[] => (list.length === 1 ? (list[0] as T) : list);
const joined = (given: string | readonly string[]) => (typeof given === 'string' ? given : given.join(','));

/** Counterparts of pages and runs of REST calls that names alone don't show. */
const counterparts: Partial<Record<MetricName, MetricName>> = {
  onLoad: 'responseTime',
  loadEventEnd: 'responseTime',
  documentHeaders: 'ttfb',
  responseTime: 'onLoad',
  responseTimeP99: 'onLoad',
  latency: 'onLoad',
  sentBytes: 'transferBytes',
};

/**
 * Why a campaign of this engine has no such metric, with the likely intended one; null: it has it.
 *
 * @param expected metrics that are allowed, if not all measured ones
 */
export function lackingMetric(metric: GateMetric, engine: Engine, expected = gateMetricsOf({ engine })): string | null {
  const names = gateMetricsOf({ engine });
  if (names.includes(metric)) return null;
  const [whose, others] = engine === 'transaction' ? ['A run of REST calls', 'pages'] : ['A page', 'runs of REST calls'];
  const meant = counterparts[metric as MetricName] ?? metricMeant(metric, expected);
  return `${whose} has no ${metric}, which is measured for ${others}${meant === undefined ? `. Expected one of ${expected.join(', ')}.` : `; did you mean ${meant}?`}`;
}

export interface Allowed {
  margin: number;
  /** Which side is worse. */
  not: 'above' | 'below';
}

/** The largest allowed ratio, or the smallest. */
export const allowedRatio = ({ margin, not }: Allowed): number => (not === 'above' ? 1 + margin : 1 - margin);
