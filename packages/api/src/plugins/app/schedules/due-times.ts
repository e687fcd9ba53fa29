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
 * passes of the repeated hour. (Vixie cron's rule, with lists of times as fixed times.)
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
  try {
    return isFixed(cron) ? atFixedTimes(cron, timeZone) : byCroner(cron, timeZone);
  } catch (error) {
    const why = (error as Error).message.replace(/^Cron\w+: /, '').replace(/\.$/, '');
    throw new Error(
      `"${cron}" is no cron expression (${why}); expected minute, hour, day of month, month and day of week, such as 30 2 * * *.`,
    );
  }
}

const isFixed = (cron: string): boolean =>
  fieldsOf(cron)
    .slice(0, 2)
    .every((field) => !/[*?/]/.test(field));

function byCroner(cron: string, timezone: string): DueTimes {
  const job = new Cron(cron, { timezone, mode: '5-part', paused: true });
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

/**
 * By what the clocks of the zone show: croner says at which times of a clock without summer the job is due, and each of them comes once. (croner itself
 * leaves a night out where the hour before midnight is left out, as in America/Nuuk.)
 */
function atFixedTimes(cron: string, timeZone: string): DueTimes {
  const shown = byCroner(cron, 'UTC');
  const clock = clockOf(timeZone);
  /** The first due moment that is so, of the times that clocks show, one after the other. */
  const first = (from: number, next: (time: number) => number | null, isSo: (moment: number) => boolean): number | null => {
    for (let time = next(from); time !== null; time = next(time)) {
      const moment = clock.momentOf(time);
      if (isSo(moment)) return moment;
    }
    return null;
  };
  return {
    after: (time) => first(time + clock.offsetAt(time), shown.after, (moment) => moment > time),
    // Clocks that were just set back have shown later times than they do now.
    until: (time) =>
      first(
        time + Math.max(clock.offsetAt(time), clock.offsetAt(time - dayMs)) + 1,
        (shownTime) => shown.until(shownTime - 1),
        (moment) => moment <= time,
      ),
  };
}

/** What clocks of a zone show, as milliseconds since 1970 of a clock that shows UTC. */
function clockOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const offsetAt = (moment: number): number => {
    const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1_000) * 1_000;
  };
  /** When clocks show a time: the first time; where they never do, when they go on behind it. */
  const momentOf = (shown: number): number => {
    const [before, after] = [offsetAt(shown - dayMs), offsetAt(shown + dayMs)];
    for (const offset of before === after ? [before] : [before, after]) {
      if (offsetAt(shown - offset) === offset) return shown - offset;
    }
    let [earlier, later] = [shown - Math.max(before, after) - 1_000, shown - Math.min(before, after)];
    while (later - earlier > 1_000) {
      const middle = Math.floor((earlier + later) / 2_000) * 1_000;
      if (offsetAt(middle) === offsetAt(earlier)) earlier = middle;
      else later = middle;
    }
    return later;
  };
  return { offsetAt, momentOf };
}

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const fieldsOf = (cron: string): string[] => (nicknames[cron.toLowerCase()] ?? cron).trim().split(/\s+/);

/** croner also takes dates, and a nickname that means the start of a machine. */
const isExpression = (cron: string): boolean => fieldsOf(cron).length === 5;

/** An offset such as +01:00 is no zone: it knows no summer. */
function assertZone(timeZone: string): void {
  try {
    if (!/^[a-z]/i.test(timeZone)) throw new RangeError();
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw new Error(`There is no time zone "${timeZone}"; expected an IANA name, such as Europe/Berlin or UTC.`);
  }
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** After so many years weekdays and leap days are where they were. (1900 and 2100 have none, and nothing follows closer there.) */
const cycleYears = 28;
const start = Date.UTC(2000, 0, 1);

/**
 * The shortest time between two starts that there ever is, by what clocks show, milliseconds; infinite where there is none or one. Days that match have
 * all the same times.
 *
 * @param cron an expression that `dueTimes` takes
 */
export function shortestInterval(cron: string): number {
  const known = intervals.get(cron);
  if (known !== undefined) return known;
  const [minute = '', hour = '', ...days] = fieldsOf(cron);
  const minutes = matching(`${minute} * * * *`, start + 60 * minuteMs).map((time) => (time - start) / minuteMs);
  const hours = matching(`0 ${hour} * * *`, start + dayMs).map((time) => (time - start) / (60 * minuteMs));
  const times = hours.flatMap((h) => minutes.map((m) => h * 60 + m));
  const within = gaps(times);
  const apart = daysApart(days) * 1_440 - (times.at(-1) ?? 0) + (times[0] ?? 0);
  const interval = Math.min(within, apart) * minuteMs;
  if (intervals.size >= maxKnown) intervals.clear();
  intervals.set(cron, interval);
  return interval;
}

/** Who asks, asks for the same again and again, such as a form at each key. */
const maxKnown = 1_000;
const intervals = new Map<string, number>();

/** The least difference between neighbours; infinite for fewer than two. */
const gaps = (rising: readonly number[]): number =>
  rising.reduce((least, value, at) => (at === 0 ? least : Math.min(least, value - (rising[at - 1] ?? 0))), Number.POSITIVE_INFINITY);

/** When an expression is due from 1 January 2000 on, before a time. */
function matching(cron: string, end: number): number[] {
  const due = byCroner(cron, 'UTC');
  const times: number[] = [];
  for (let time = due.after(start - 1); time !== null && time < end; time = due.after(time)) times.push(time);
  return times;
}

/** How many days two that match are apart at least; infinite where fewer than two do. @param fields day of month, month, day of week */
function daysApart(fields: readonly string[]): number {
  const [ofMonth = '', month = '', ofWeek = ''] = fields;
  const months = new Set(matching(`0 0 1 ${month} *`, Date.UTC(2001, 0, 1)).map((time) => new Date(time).getUTCMonth()));
  // Some fields count from the end of the month (L), or weeks in it (#): of months that begin on the same weekday and are as long, all days are alike.
  const isPlain = [ofMonth, ofWeek].every((field) => /^[\d,*/?-]*$/.test(field.replaceAll(/[a-z]{3}/gi, '1')));
  const matches = isPlain ? plainDays(ofMonth, ofWeek) : daysByShape(ofMonth, ofWeek);
  let [last, least] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let at = 0; at < cycleYears * 12 + 2; at++) {
    if (!months.has(at % 12)) continue;
    const first = Date.UTC(2000, at, 1);
    const days = new Date(Date.UTC(2000, at + 1, 0)).getUTCDate();
    for (let date = 1; date <= days; date++) {
      if (!matches(date, first, days)) continue;
      const day = first / dayMs + date;
      least = Math.min(least, day - last);
      last = day;
      if (least === 1) return least;
    }
  }
  return least;
}

/** Whether a day matches. @param first of its month, milliseconds since 1970 @param days how many the month has */
type DayMatch = (date: number, first: number, days: number) => boolean;

function plainDays(ofMonth: string, ofWeek: string): DayMatch {
  const isAny = (field: string) => field === '*' || field === '?';
  const dates = new Set(matching(`0 0 ${ofMonth} 1 *`, Date.UTC(2000, 1, 1)).map((time) => new Date(time).getUTCDate()));
  const weekdays = new Set(matching(`0 0 * * ${ofWeek}`, start + 7 * dayMs).map((time) => new Date(time).getUTCDay()));
  return (date, first) => {
    const [isDate, isWeekday] = [dates.has(date), weekdays.has((new Date(first).getUTCDay() + date - 1) % 7)];
    // Where both are restricted, either will do.
    return isAny(ofMonth) ? isWeekday : isAny(ofWeek) ? isDate : isDate || isWeekday;
  };
}

function daysByShape(ofMonth: string, ofWeek: string): DayMatch {
  const due = byCroner(`0 0 ${ofMonth} * ${ofWeek}`, 'UTC');
  const known = new Map<number, Set<number>>();
  return (date, first, days) => {
    const shape = new Date(first).getUTCDay() * 100 + days;
    let dates = known.get(shape);
    if (dates === undefined) {
      dates = new Set();
      for (let at = due.after(first - 1); at !== null && at < first + days * dayMs; at = due.after(at))
        dates.add(new Date(at).getUTCDate());
      known.set(shape, dates);
    }
    return dates.has(date);
  };
}

/** How much later than due a schedule starts, whole milliseconds below `seconds`: the same in every process that asks. */
export function jitterMs(scheduleId: number, dueAt: number, seconds: number): number {
  const share = createHash('sha256').update(`${scheduleId} ${dueAt}`).digest().readUIntBE(0, 6) / 2 ** 48;
  return Math.floor(share * seconds * 1_000);
}
