// Parsers of option values. Each name says the range that its parser accepts.
import { workloadLimits } from '@pronghorn/core/vocabulary';
import { InvalidArgumentError, Option } from 'commander';

/** Of so many that a help can't list them. */
export function oneOf<T extends string>(allowed: readonly T[]) {
  return (value: string): T => {
    if (!(allowed as readonly string[]).includes(value)) throw new InvalidArgumentError(`"${value}" is none of ${allowed.join(', ')}.`);
    return value as T;
  };
}

/** Items of a list with commas, each one of `allowed`. */
export function listOf<T extends string>(allowed: readonly T[]) {
  const one = oneOf(allowed);
  return (value: string): T[] => commaSeparated(value).map(one);
}

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
export const shareTo1 = (value: string) => within(value, 0, 1, 'Expected a number from 0 to 1.');
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
