// When a cron expression is due, in its time zone.
import { createHash } from 'node:crypto';
import { Cron } from 'croner';

/** Whole milliseconds since 1970; null: never again. */
export interface DueTimes {
  /** The first one after a time. */
  after(time: number): number | null;
  /** The last one at or before a time. */
  until(time: number): number | null;
}

/**
 * A job at fixed times is due once a day whatever the clocks do: what falls into the hour that is left out is due at its end, and what
 * comes twice is due the first time. One with a wildcard or a step in minutes or hours goes by real time: it is due in both
 * passes of the repeated hour. (croner's rule, with lists of times as fixed times, as in Vixie cron.)
 *
 * @throws Error that says what is wrong with the expression or the zone, in words.
 */
export function dueTimes(cron: string, timeZone: string): DueTimes {
  assertZone(timeZone);
  if (!isExpression(cron)) {
    throw new Error(
      `"${cron}" is no cron expression; expected five fields (minute, hour, day of month, month, day of week), such as 30 2 * * *.`,
    );
  }
  let job: Cron;
  try {
    job = new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
  } catch (error) {
    const why = (error as Error).message.replace(/^Cron\w+: /, '').replace(/\.$/, '');
    throw new Error(
      `"${cron}" is no cron expression (${why}); expected minute, hour, day of month, month and day of week, such as 30 2 * * *.`,
    );
  }
  return {
    after: (time) => job.nextRun(new Date(time))?.getTime() ?? null,
    // croner looks before a time, in whole seconds.
    until: (time) =>
      job
        .previousRuns(2, new Date(time + 1_000))
        .find((run) => run.getTime() <= time)
        ?.getTime() ?? null,
  };
}

/** croner also takes dates, and a nickname that means the start of a machine. */
const isExpression = (cron: string) =>
  /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i.test(cron) || cron.trim().split(/\s+/).length === 5;

/** An offset such as +01:00 is no zone: it knows no summer. */
function assertZone(timeZone: string): void {
  try {
    if (!/^[a-z]/i.test(timeZone)) throw new RangeError();
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new Error(`There is no time zone "${timeZone}"; expected an IANA name, such as Europe/Berlin or UTC.`);
  }
}

/** No expression is due more often. */
const minuteMs = 60_000;
/** Every day that matches has the same times; within a month, days that follow each other are met if there are any. */
const lookedAtMs = 32 * 86_400_000;

/** The shortest time between two of the next starts, milliseconds; infinite for fewer than two. */
export function shortestInterval(due: DueTimes, from: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  const first = due.after(from);
  // One start every five minutes is 288 a day; with more, the first gaps say it.
  for (
    let [last, runs] = [first, 0];
    first !== null && last !== null && last - first < lookedAtMs && runs < 290 && shortest > minuteMs;
    runs++
  ) {
    const next = due.after(last);
    if (next !== null) shortest = Math.min(shortest, next - last);
    last = next;
  }
  return shortest;
}

/** How much later than due a schedule starts, whole milliseconds below `seconds`: the same in every process that asks. */
export function jitterMs(scheduleId: number, dueAt: number, seconds: number): number {
  const share = createHash('sha256').update(`${scheduleId} ${dueAt}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return Math.floor(share * seconds * 1_000);
}
