// Numbers as people read them. English digits everywhere, so that a page reads the same for all who talk about it.
import { monthNames, rateWords } from '@pronghorn/core/text';
import type { MetricUnit as Unit } from '@pronghorn/core/vocabulary';

export { confidenceWords as confidence, counted as many, pValue } from '@pronghorn/core/text';

/** 1,234.5. Without Intl, whose formats take a phone 50 ms at the start of each page. */
const fixed = (value: number, digits: number): string =>
  value
    .toFixed(digits)
    .replace(/(?<!\.\d*)\B(?=(\d{3})+(?:\.|$))/g, ',')
    .replace('Infinity', '∞');

/** Without its unit: milliseconds whole from 10 on, with one decimal below; bytes as kB. */
export function number(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
    case 'µs':
    case 'per second':
      return Math.abs(value) < 10 && value !== 0 ? fixed(value, 1) : fixed(value, 0);
    case 'bytes':
    case 'bytes/s':
      return fixed(value / 1000, 1);
    case 'share':
      return percentOf(value);
    case 'count':
      return Number.isInteger(value) ? fixed(value, 0) : fixed(value, 1);
    case 'score':
      return fixed(value, 3);
  }
}

/** A part of a whole: only all is 100 %, and only nothing is 0 %: 299 of 300 are 99.7 %, and all but one of a million 99.9999 %. */
function percentOf(share: number): string {
  const [value, missing] = [share * 100, 100 - share * 100];
  if (value > 0 && value < 0.1) return String(Number(value.toPrecision(1)));
  if (missing > 0 && missing < 0.1) return String(Number((100 - Number(missing.toPrecision(1))).toFixed(9)));
  return roundedPercent(value);
}

/** With one decimal below 10, and where it would become 100. */
function roundedPercent(value: number): string {
  return value < 9.95 || (value >= 99.5 && value < 100) ? String(Number(value.toFixed(1))) : fixed(value, 0);
}

export const unitNames: Readonly<Record<Unit, string>> = {
  ...{ ms: 'ms', µs: 'µs', bytes: 'kB', 'bytes/s': 'kB/s', 'per second': '/s' },
  ...{ share: '%', count: '', score: '' },
};

/** With its unit. */
export function quantity(value: number, unit: Unit): string {
  return unitNames[unit] === '' ? number(value, unit) : `${number(value, unit)} ${unitNames[unit]}`;
}

/** A quantile among failed loads is known only to be above their limit: ≥ 60 s. */
export function quantityOrMore(value: number | null, unit: Unit, atLeastMs: number | null | undefined): string {
  if (value !== null) return quantity(value, unit);
  return atLeastMs === null || atLeastMs === undefined ? '–' : `≥ ${number(atLeastMs / 1000, 'count')} s`;
}

/** H3-Delta with its sign: −0.09, +0.12, 0.00. */
export const signed = (delta: number): string => signedTo(delta, 2);

function signedTo(delta: number, digits: number): string {
  const text = fixed(Math.abs(delta), digits);
  return `${signOf(delta, text)}${text}`;
}

/** On an axis, in its unit: with the digits that tell it from its neighbour. @param apart how far that is. */
export function tick(value: number, unit: Unit | 'delta', apart: number): string {
  const factor = unit === 'share' ? 100 : unit === 'bytes' || unit === 'bytes/s' ? 1e-3 : 1;
  const digits = Math.min(12, Math.max(0, -Math.floor(Math.log10(apart * factor) + 1e-9)));
  return unit === 'delta' ? signedTo(value, Math.max(2, digits)) : fixed(value * factor, digits);
}

/** With its sign, without its unit: −43, +0.3, 0. */
export function signedNumber(value: number, unit: Unit): string {
  const text = unit === 'share' ? roundedPercent(Math.abs(value) * 100) : number(Math.abs(value), unit);
  return `${signOf(value, text)}${text}`;
}

/** A difference, which is no part of a whole: −9.5 %, +12 %, and what is below a twentieth of a per cent 0 %. */
export function signedPercent(share: number, unit = ' %'): string {
  const text = roundedPercent(Math.abs(share) * 100);
  return `${signOf(share, text)}${text}${unit}`;
}

/** As `quantity` writes a share: 9.5 %, 12 %. */
export const percent = (share: number): string => quantity(share, 'share');

/** Nothing is −0. */
function signOf(value: number, rounded: string): string {
  return Number(rounded) === 0 ? '' : value < 0 ? '−' : '+';
}

/** Prose in which no line ends between a number and its unit, or within p < 0.0001. */
export function unbroken(words: string): string {
  return words.replace(/(?<=[<=≤≥]) | (?=[%<=≤≥])|(?<=\d) (?=(?:ms|min|s|h|[kK]B|[kM]bit\/s)(?![\w/]))/g, '\u00a0');
}

/** The first seven digits of a hash, anything else as it is. */
export const shortCommit = (commit: string): string => (/^[0-9a-f]{12,}$/i.test(commit) ? commit.slice(0, 7) : commit);

/** A bit rate: 9 Mbit/s, 384 kbit/s. */
export const rate = (kbps: number): string => rateWords(kbps, 4);

/** How long something takes, as people say it: 40 s, 12 min, 3 h 20 min, 2 d 4 h. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 48) return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
  const restHours = hours % 24;
  return `${Math.floor(hours / 24)} d${restHours === 0 ? '' : ` ${restHours} h`}`;
}

/** A stored time in the reader's own time zone: 28 Nov 2026, 07:14:34. Without Intl as well. */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${date.getDate()} ${monthNames[date.getMonth()]} ${date.getFullYear()}, ${clock.join(':')}`;
}
