// Parsers of option values. Each name says the range that its parser accepts.
import { workloadLimits } from '@pronghorn/core/vocabulary';
import { InvalidArgumentError } from 'commander';

/** Words of a list with commas, each one of `allowed`. */
export function listOf<T extends string>(allowed: readonly T[]) {
  return (value: string): T[] =>
    commaSeparated(value).map((item) => {
      const found = allowed.find((one) => one === item);
      if (found === undefined) throw new InvalidArgumentError(`"${item}" is none of ${allowed.join(', ')}.`);
      return found;
    });
}

export const commaSeparated = (value: string): string[] => value.split(',').map((item) => item.trim());

/** Of an option that may be given several times. */
export function repeated<T>(value: T, before: readonly T[] = []): T[] {
  return [...before, value];
}

/** A whole number. */
export function integerBetween(least: number, most: number) {
  return (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most)
      throw new InvalidArgumentError(`A whole number between ${least} and ${most} is expected.`);
    return Number(value);
  };
}

export const secondsTo600 = (value: string) => within(value, 0.1, 600, 'Seconds between 0.1 and 600 are expected.');
export const millisecondsTo10000 = (value: string) => within(value, 0, 10_000, 'Milliseconds between 0 and 10000 are expected.');
export const shareTo1 = (value: string) => within(value, 0, 1, 'A number between 0 and 1 is expected.');
/** A number above 0. @param what it counts, such as Seconds */
export const numberTo = (most: number, what: string) => (value: string) =>
  within(value, Number.MIN_VALUE, most, `${what} above 0 and up to ${most} are expected.`);

export const percentTo100 = (value: string) => within(value, Number.MIN_VALUE, 100, 'A percentage above 0 and up to 100 is expected.');
export const minutesTo10000 = numberTo(10_000, 'Minutes');

function within(value: string, least: number, most: number, expected: string): number {
  if (value.trim() === '' || !(Number(value) >= least && Number(value) <= most)) throw new InvalidArgumentError(expected);
  return Number(value);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
/** Without what is undefined: for requests, in which an absent part stands for its default. */
export const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;

/** People write example.org; a page of today is https. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}

/** A number of bytes, such as 2MB or 512KiB. */
export function byteCount(value: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|KiB|MB|MiB|GB|GiB)?$/.exec(value.trim()) ?? [];
  const factor = { '': 1, B: 1, kB: 1e3, KB: 1e3, KiB: 2 ** 10, MB: 1e6, MiB: 2 ** 20, GB: 1e9, GiB: 2 ** 30 }[unit] ?? 1;
  const count = Math.round(Number(number) * factor);
  if (number === '' || count > workloadLimits.bodyBytes || (count === 0 && Number(number) > 0))
    throw new InvalidArgumentError('Bytes up to 1 GiB are expected, such as 500000, 2MB or 512KiB.');
  return count;
}
