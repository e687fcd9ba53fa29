// What the values of options may be, and how they are read.
import { InvalidArgumentError } from 'commander';

/** Words of a list with commas, each one of `allowed`. */
export function listOf<T extends string>(allowed: readonly T[]) {
  return (value: string): T[] =>
    words(value).map((item) => {
      const found = allowed.find((one) => one === item);
      if (found === undefined) throw new InvalidArgumentError(`"${item}" is none of ${allowed.join(', ')}.`);
      return found;
    });
}

export const words = (value: string): string[] => value.split(',').map((item) => item.trim());

/** Of an option that may be given several times. */
export function repeated<T>(value: T, before: readonly T[] = []): T[] {
  return [...before, value];
}

/** A whole number. */
export function between(least: number, most: number) {
  return (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most)
      throw new InvalidArgumentError(`A whole number between ${least} and ${most} is expected.`);
    return Number(value);
  };
}

export const seconds = (value: string) => within(value, 0.1, 600, 'Seconds between 0.1 and 600 are expected.');
export const milliseconds = (value: string) => within(value, 0, 10_000, 'Milliseconds between 0 and 10000 are expected.');
export const share = (value: string) => within(value, 0, 1, 'A number between 0 and 1 is expected.');
export const percentage = (value: string) => within(value, Number.MIN_VALUE, 100, 'A percentage above 0 and up to 100 is expected.');
export const minutes = (value: string) => within(value, Number.MIN_VALUE, 10_000, 'Minutes above 0 and up to 10000 are expected.');

function within(value: string, least: number, most: number, expected: string): number {
  if (value.trim() === '' || !(Number(value) >= least && Number(value) <= most)) throw new InvalidArgumentError(expected);
  return Number(value);
}

/** People write example.org; a page of today is https. */
export function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}
