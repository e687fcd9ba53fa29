// Runs of REST calls side by side: rates in each second, and percentiles.
import type { VisitRun } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { CurveAxis } from '../../charts/curve/curve.ts';
import { metricsOf, type ShownVisit } from '../visit/visit-names.ts';

export interface ShownRun {
  id: string;
  name: string;
  protocol: Protocol;
  run: VisitRun;
  /** Received and sent; null: without numbers. */
  bytes: number | null;
  /** The run's number among those of its protocol, from 0 on: dashes distinguish its line. */
  nth: number;
}

/** Only runs that were performed. */
export function shownRuns(visits: readonly ShownVisit[]): ShownRun[] {
  return visits.flatMap(({ visit, name }, index) => {
    const { id, protocol, run } = visit;
    if (run === undefined) return [];
    const metrics = metricsOf(visit);
    const bytes = metrics !== null && 'sentBytes' in metrics ? metrics.transferBytes + metrics.sentBytes : null;
    const nth = visits.slice(0, index).filter((before) => before.visit.protocol === protocol).length;
    return [{ id, name, protocol, run, bytes, nth }];
  });
}

/** Without its file extension. */
export const fileNameOf = (what: string, runs: readonly ShownRun[]): string =>
  `pronghorn-${what}-${runs.map(({ id }) => id.slice(0, 8)).join('-')}`;
/** Stands below a saved picture. */
export const sourceOf = (runs: readonly ShownRun[]): string => `Runs ${runs.map(({ id }) => id.slice(0, 8)).join(' and ')}`;

export interface Rate {
  /** Seconds since the run began. */
  from: number;
  to: number;
  /** Per second. */
  succeeded: number;
  failed: number;
  /** Received and sent per second; null: unknown. */
  bytes: number | null;
}

/** In seconds. The rate of a shorter remainder would describe its last request alone. */
const minRest = 0.25;

/**
 * Whole seconds, and the remainder.
 * @param bytes received and sent in total; null: unknown, as for a run without numbers
 */
export function ratesOf({ seconds, succeeded, errors, wallSeconds }: VisitRun, bytes: number | null): Rate[] {
  // Requests that were never sent have no time of failure.
  const failed = Object.entries(errors).reduce((sum, [why, count]) => sum + (why === 'not-sent' ? 0 : count), 0);
  const whole = seconds
    .filter(({ at }) => at <= wallSeconds)
    .map((second) => ({
      at: second.at,
      succeeded: second.succeeded,
      failed: second.failed,
      bytes: second.bytesReceived + second.bytesSent,
    }));
  const rest = wallSeconds - (whole.at(-1)?.at ?? 0);
  const marks = [
    { at: 0, succeeded: 0, failed: 0, bytes: 0 as number | null },
    ...whole,
    ...(rest >= minRest || whole.length === 0 ? [{ at: wallSeconds, succeeded, failed, bytes }] : []),
  ];
  return marks.slice(1).flatMap((mark, index) => {
    const before = marks[index] as (typeof marks)[number];
    const long = mark.at - before.at;
    if (long <= 0) return [];
    const each = (count: number, earlier: number) => Math.max(0, count - earlier) / long;
    return [
      {
        ...{ from: before.at, to: mark.at, succeeded: each(mark.succeeded, before.succeeded), failed: each(mark.failed, before.failed) },
        bytes: mark.bytes === null || before.bytes === null ? null : each(mark.bytes, before.bytes),
      },
    ];
  });
}

/**
 * Where a percentile stands on an axis as HdrHistogram draws it, where each nine takes as much room: 0 at 0 %, 1 at 90 %, 2 at 99 %. The
 * slowest of `count` requests stands half of one request before 100 %.
 */
export const placeOfPercentile = (percentile: number, count: number): number =>
  Math.min(Math.log10(2 * Math.max(1, count)), -Math.log10(Math.max(Number.MIN_VALUE, 1 - percentile / 100)));

export const percentileAt = (place: number): number => 100 * (1 - 10 ** -place);

const marked = [0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999];

/** With enough digits to distinguish it from 100. */
export function percentileText(percentile: number): string {
  const digits = Math.max(0, Math.ceil(-Math.log10(Math.max(1e-9, 100 - percentile)) + 1));
  return `${Number(percentile.toFixed(Math.min(6, digits)))} %`;
}

/** @param count requests of the longest run */
export const percentileAxis = (count: number): CurveAxis => ({
  title: 'requests',
  range: [0, Math.log10(2 * Math.max(1, count))],
  text: (place) => percentileText(percentileAt(place)),
  ticks: marked.map((percentile) => placeOfPercentile(percentile, Number.POSITIVE_INFINITY)),
});
