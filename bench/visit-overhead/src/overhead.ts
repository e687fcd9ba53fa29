// What a visit costs beyond its page's own load, from timed commands.
import { median } from '../../../packages/core/src/math/index.ts';
import type { Command } from './browsertime.ts';
import type { PronghornVisit } from './pronghorn.ts';

/** The medians of one way to visit a page; null where nothing valid was measured. */
export interface Row {
  name: string;
  /** Valid visits that the medians come from. */
  visits: number;
  /** Commands, or series of Pronghorn's visits, that are not counted. */
  invalid: number;
  loadMs: number | null;
  speedIndexMs: number | null;
  /** Of one more visit of something that runs already. */
  oneMoreMs: number | null;
  /** The same without the time in which the page settles after load; null of browsertime, which waits a fixed time. */
  apartMs: number | null;
  /** Of a command that makes a single visit, its own start and end included. */
  oneCommandMs: number | null;
}

/** Absent when an interrupt came before it. */
export type Attempt<T> = T | 'invalid' | undefined;

/** A round's two commands of one mode. */
export interface Pair {
  single: Attempt<Command>;
  several: Attempt<Command>;
}

/** Wall time minus the load times of all visits of the command. */
export function overheadMs({ wallMs, loadMs }: Pick<Command, 'wallMs' | 'loadMs'>): number {
  return wallMs - sum(loadMs);
}

/** What each visit after the first adds to the overhead of a command. */
export function oneMoreVisitMs(single: Command, several: Command): number {
  return (overheadMs(several) - overheadMs(single)) / (several.loadMs.length - single.loadMs.length);
}

export function browsertimeRow(name: string, pairs: readonly Pair[]): Row {
  const attempts = pairs.flatMap(({ single, several }) => [single, several]);
  const commands = attempts.filter(isValid);
  const singles = pairs.map(({ single }) => single).filter(isValid);
  const oneMore = pairs.flatMap(({ single, several }) => (isValid(single) && isValid(several) ? [oneMoreVisitMs(single, several)] : []));
  return {
    name,
    visits: sum(commands.map(({ loadMs }) => loadMs.length)),
    invalid: attempts.filter((attempt) => attempt === 'invalid').length,
    loadMs: medianOrNull(commands.flatMap(({ loadMs }) => loadMs)),
    speedIndexMs: medianOrNull(commands.flatMap(({ speedIndexMs }) => speedIndexMs)),
    oneMoreMs: medianOrNull(oneMore),
    apartMs: null,
    oneCommandMs: medianOrNull(singles.map(overheadMs)),
  };
}

export function pronghornRow(series: readonly Attempt<PronghornVisit[]>[]): Row {
  const visits = series.filter(isValid).flat();
  return {
    name: 'pronghorn',
    visits: visits.length,
    invalid: series.filter((attempt) => attempt === 'invalid').length,
    loadMs: medianOrNull(visits.map(({ loadMs }) => loadMs)),
    speedIndexMs: medianOrNull(visits.map(({ speedIndexMs }) => speedIndexMs)),
    oneMoreMs: medianOrNull(visits.map(({ wallMs, loadMs }) => wallMs - loadMs)),
    apartMs: medianOrNull(visits.map(({ wallMs, loadMs, settledMs }) => wallMs - loadMs - settledMs)),
    oneCommandMs: null,
  };
}

function isValid<T>(attempt: Attempt<T>): attempt is T {
  return attempt !== undefined && attempt !== 'invalid';
}

function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
