// What a run did in each of its seconds. Pure.
import type { VisitRun } from '@pronghorn/core/schemas';

export interface Rate {
  /** Seconds since the run began. */
  from: number;
  to: number;
  /** A second. */
  succeeded: number;
  failed: number;
  /** Received and sent, a second; null: how many there were at the end is not known. */
  bytes: number | null;
}

/** A rest that is shorter says more about its last request than about a rate. */
const shortestRest = 0.25;

/**
 * Its whole seconds, and the rest after them.
 * @param bytes received and sent in all; null: not known, as of a run without numbers.
 */
export function ratesOf({ seconds, succeeded, errors, wallSeconds }: VisitRun, bytes: number | null): Rate[] {
  // What was never sent did not fail at any moment.
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
    ...(rest >= shortestRest || whole.length === 0 ? [{ at: wallSeconds, succeeded, failed, bytes }] : []),
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
