// Numbers, quantities and lists in sentences.
import type { Estimate } from '../schemas/comparison.ts';
import type { FailureRate } from '../schemas/results.ts';
import { type GateMetric, metricUnit } from '../vocabulary/metric.ts';
import { type Protocol, protocolNames } from '../vocabulary/protocol.ts';

export const protocolName = (protocol: Protocol): string => protocolNames[protocol];

/** 60 s, 2.5 s, 800 ms. */
export const durationWords = (ms: number): string => (ms >= 1000 ? `${Number((ms / 1000).toPrecision(3))} s` : `${Math.round(ms)} ms`);

/** 1 round, 1,200 rounds. */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** 12,000. `toLocaleString` would take half of the time of a verdict. */
export const grouped = (count: number): string => (count < 1000 ? `${count}` : `${count}`.replace(/\B(?=(\d{3})+$)/g, ','));

/** a; a and b; a, b and c. */
export const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** The words for a number below another one, and above. */
export type Sides = readonly [below: string, above: string];
const lowerHigher: Sides = ['lower', 'higher'];

/** 8.1 % lower, 120 % higher; never both 0 % and not 0. A ratio of 0 or ∞, from failed loads, has no figure. */
export const changeWords = (share: number, sides = lowerHigher): string =>
  (isOpen(share) ? `${sideOf(share, sides)} without bound` : `${figure(share)} % ${sideOf(share, sides)}`).trim();

/** 8.1 %, without its side. */
export const shareWords = (share: number): string => `${figure(share)} %`;

const isOpen = (share: number) => share <= -1 || share === Number.POSITIVE_INFINITY;
const sideOf = (share: number, [below, above]: Sides) => (share < 0 ? below : above);

/** The value of an estimate; ±∞ if it is unbounded. */
export const estimatedValue = (of: Estimate): number => extended(of, 'value') ?? Number.NaN;

/** Its ends; null if it has none. */
export function endsOf(of: Estimate): [low: number, high: number] | null {
  const [low, high] = [extended(of, 'low'), extended(of, 'high')];
  return low === null || high === null ? null : [low, high];
}

function extended(of: Estimate, end: 'value' | 'low' | 'high'): number | null {
  const beyond = of.unbounded?.[end];
  return beyond === undefined ? of[end] : beyond === 'above' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}

/** 8.1 to 12 % lower; between 2 % lower and 3 % higher. */
export function intervalWords(low: number, high: number, sides = lowerHigher): string {
  if (low < 0 && high >= 0) return `between ${changeWords(low, sides)} and ${changeWords(high, sides)}`;
  const [near, far] = low < 0 ? [high, low] : [low, high];
  if (isOpen(near)) return changeWords(near, sides);
  if (isOpen(far)) return `${changeWords(near, sides)} to unbounded`;
  return figure(near) === figure(far) ? changeWords(far, sides) : `${figure(near)} to ${changeWords(far, sides)}`;
}

/** Upper quartile, upper decile, 70th percentile. */
export const quantileName = (p: number): string =>
  ({ 0.1: 'lower decile', 0.25: 'lower quartile', 0.5: 'median', 0.75: 'upper quartile', 0.9: 'upper decile' })[p] ??
  `${Math.round(100 * p)}th percentile`;

/** 95 %, 99.58 %: two digits of what is missing to 100 %. */
export function confidenceWords(confidence: number): string {
  const missing = Number((100 * (1 - confidence)).toPrecision(2));
  return `${Number((100 - missing).toFixed(9))} %`;
}

/** A p-value, rounded but never across the level it is compared with: 0.031, < 0.0001. */
export function pValue(p: number, level = 0.05): string {
  if (p < 0.0001) return '< 0.0001';
  const rounded = [2, 3, 4].map((digits) => Number(p.toPrecision(digits)));
  return String(rounded.find((value) => value <= level === p <= level) ?? p);
}

/** p = 0.031, p < 0.0001. */
export const pWords = (p: number, level = 0.05): string => (p < 0.0001 ? `p ${pValue(p, level)}` : `p = ${pValue(p, level)}`);

/** The rounding error of two equal values. @param difference in a metric's unit, or a share: a hundred-millionth says nothing */
export const isRounding = (difference: number): boolean => Math.abs(difference) < 1e-8;

/** A share without its sign, in per cent: one digit after the point below 10, at least one digit below 0.1. */
function figure(share: number): string {
  if (isRounding(share)) return '0';
  const value = Math.abs(share) * 100;
  if (value >= 9.95) return grouped(Math.round(value));
  return String(Number(value < 0.05 ? value.toPrecision(1) : value.toFixed(1)));
}

/** At most four digits after the point, without trailing zeros. */
export const decimal = (value: number): string => String(Number(value.toFixed(4)));

/** 10 Mbit/s, 768 kbit/s; rounded to significant digits. */
export const rateWords = (kbps: number, digits = 9): string =>
  kbps >= 1000 ? `${significant(kbps / 1000, digits)} Mbit/s` : `${significant(kbps, digits)} kbit/s`;

/** 0.5 %, 15 %; rounded to significant digits. */
export const percent = (share: number, digits = 6): string => `${significant(share * 100, digits)} %`;

const significant = (value: number, digits: number) => String(Number(value.toPrecision(digits)));

/** 2,310 ms; 1.25 MB; 93 %; 41. */
export function quantityWords(metric: GateMetric, value: number): string {
  switch (metricUnit(metric)) {
    case 'ms':
      return `${rounded(value)} ms`;
    case 'µs':
      return `${rounded(value)} µs`;
    case 'bytes':
      return byteWords(value);
    case 'bytes/s':
      return `${byteWords(value)}/s`;
    case 'per second':
      return `${rounded(value)}/s`;
    case 'share':
      return `${Number((value * 100).toFixed(1))} %`;
    default:
      return rounded(value);
  }
}

const byteWords = (bytes: number) =>
  Math.abs(bytes) >= 1_000_000 ? `${Number((bytes / 1_000_000).toFixed(2))} MB` : `${Number((bytes / 1000).toFixed(1))} kB`;

/** Three digits, or all before the point. */
function rounded(value: number): string {
  const text = Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** 3 of 20 visits failed (15 %, 95 % interval: 3.2 to 38 %). */
export function failureWords({ failed, loads, share, low, high }: FailureRate): string {
  if (share === null || low === null || high === null) return 'No visit counts.';
  return `${failed} of ${counted(loads, 'visit')} failed (${percent(share, 2)}, 95 % interval: ${significant(low * 100, 2)} to ${percent(high, 2)}).`;
}

/** 15 %, 0 %: rounded to whole per cent. */
export const wholePercent = (share: number): string => `${Math.round(share * 100)} %`;
