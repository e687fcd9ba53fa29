// Parsers of option values. Each name says the range that its parser accepts.
import { metricMeant, metricNamed, nameMeant } from '@pronghorn/core/text';
import { type MetricName, metricNames, type Protocol, protocolNamed, protocols, workloadLimits } from '@pronghorn/core/vocabulary';
import { InvalidArgumentError, Option } from 'commander';

/** Items of a list with commas, each one of `allowed`. @param named what people call one of them */
export const listOf =
  <T extends string>(allowed: readonly T[], named = (value: string) => allowed.find((one) => one === value)) =>
  (value: string): T[] =>
    commaSeparated(value).map((one) => {
      const known = named(one);
      if (known === undefined)
        throw new InvalidArgumentError(`"${one}" is none of ${allowed.join(', ')}.${meantWords(nameMeant(one, allowed))}`);
      return known;
    });

export const listOfProtocols = listOf<Protocol>(protocols, protocolNamed);

/** Also by its initials, such as LCP. */
export function metricOf(value: string): MetricName {
  const named = metricNamed(value, metricNames);
  if (named !== undefined) return named;
  const meant = metricMeant(value, metricNames);
  throw new InvalidArgumentError(
    `There is no metric "${value}"${meant === undefined ? `: it is none of ${metricNames.join(', ')}.` : '.'}${meantWords(meant)}`,
  );
}

/** A question after a sentence; empty: nobody knows what is meant. */
export const meantWords = (meant: string | undefined): string => (meant === undefined ? '' : ` Did you mean ${meant}?`);

export const commaSeparated = (value: string): string[] => value.split(',').map((item) => item.trim());

export const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** An option that may be given several times. */
export const repeatable = <T = string>(flags: string, description: string, read = (value: string): T => value as T) =>
  new Option(flags, `${description} (repeatable)`).argParser((value, before: readonly T[]) => [...before, read(value)]).default([], 'none');

export function integerBetween(min: number, max: number) {
  return (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max)
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    return Number(value);
  };
}

export const secondsTo600 = (value: string) => within(value, 0.1, 600, 'Expected seconds from 0.1 to 600.');
export const millisecondsTo10000 = (value: string) => within(value, 0, 10_000, 'Expected milliseconds from 0 to 10000.');
/** 0.2 or 20%. */
export function shareTo1(value: string): number {
  const expected = 'Expected a share from 0 to 1, or a percentage such as 20%.';
  const [, percent] = /^(.*\S)\s*%$/.exec(value.trim()) ?? [];
  return percent === undefined ? within(value, 0, 1, expected) : within(percent, 0, 100, expected) / 100;
}
/** A number above 0. @param what it counts, such as seconds */
export const numberTo = (max: number, what: string) => (value: string) =>
  within(value, Number.MIN_VALUE, max, `Expected ${what} above 0, up to ${max}.`);

export const percentTo100 = (value: string) => within(value, Number.MIN_VALUE, 100, 'Expected a percentage above 0, up to 100.');
export const minutesTo10000 = numberTo(10_000, 'minutes');

function within(value: string, min: number, max: number, expected: string): number {
  if (value.trim() === '' || !(Number(value) >= min && Number(value) <= max)) throw new InvalidArgumentError(expected);
  return Number(value);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
/** Drops undefined values: in requests, an absent part stands for its default. */
export const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** People write example.org; today's pages are https. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}

/** A number of bytes, such as 2MB or 512KiB. */
export function byteCount(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|KiB|MB|MiB|GB|GiB)?$/.exec(value.trim()) ?? [];
  const factor = { '': 1, B: 1, kB: 1e3, KB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 }[unit] ?? 1;
  const count = Math.round(Number(number) * factor);
  if (number === '' || count > workloadLimits.bodyBytes || (count === 0 && Number(number) > 0))
    throw new InvalidArgumentError('Expected bytes up to 1 GiB, such as 500000, 2MB or 512KiB.');
  return count;
}
