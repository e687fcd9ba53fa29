// Round times on an axis, in the reader's own zone: midnights, firsts of a month, full hours. Pure but for the zone of the machine.
import type { Range } from './scale.ts';

export type TimeTick = { at: number; text: string };
type Step = { unit: 'minute' | 'hour' | 'day' | 'month' | 'year'; count: number; aboutMs: number };

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const steps: readonly Step[] = [
  ...[1, 5, 15, 30].map((count): Step => ({ unit: 'minute', count, aboutMs: count * minute })),
  ...[1, 3, 6, 12].map((count): Step => ({ unit: 'hour', count, aboutMs: count * hour })),
  ...[1, 2, 7, 14].map((count): Step => ({ unit: 'day', count, aboutMs: count * day })),
  ...[1, 3, 6].map((count): Step => ({ unit: 'month', count, aboutMs: count * 30.4 * day })),
  ...[1, 2, 5, 10].map((count): Step => ({ unit: 'year', count, aboutMs: count * 365.25 * day })),
];

/**
 * @param range in milliseconds since 1970.
 * @param count at most about so many; half as many again where it would else be one, which says nothing of how long the axis is.
 */
export function timeTicks(range: Range, count: number): TimeTick[] {
  const stepFor = (most: number) => steps.find(({ aboutMs }) => (range[1] - range[0]) / aboutMs <= most) ?? (steps.at(-1) as Step);
  const found = ticksBy(stepFor(count), range);
  return found.length > 1 ? found : ticksBy(stepFor(count * 1.5), range);
}

function ticksBy(step: Step, [low, high]: Range): TimeTick[] {
  const found: TimeTick[] = [];
  let [before, at] = [Number.NEGATIVE_INFINITY, firstAtOrBefore(low, step)];
  while (at <= high && found.length < 200) {
    if (at >= low) {
      found.push({ at, text: textOf(at, before, step) });
      before = at;
    }
    at = next(at, step);
  }
  return found;
}

function firstAtOrBefore(ms: number, { unit, count }: Step): number {
  const date = new Date(ms);
  const [year, month, dayOfMonth, hours, minutes] = [
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
  ];
  const down = (value: number) => value - (value % count);
  switch (unit) {
    case 'minute':
      return new Date(year, month, dayOfMonth, hours, down(minutes)).getTime();
    case 'hour':
      return new Date(year, month, dayOfMonth, down(hours)).getTime();
    case 'day':
      // Weeks begin on Mondays; two days are counted from the first of the month.
      return count >= 7
        ? new Date(year, month, dayOfMonth - ((date.getDay() + 6) % 7)).getTime()
        : new Date(year, month, dayOfMonth - ((dayOfMonth - 1) % count)).getTime();
    case 'month':
      return new Date(year, down(month)).getTime();
    case 'year':
      return new Date(down(year), 0).getTime();
  }
}

/** By the calendar: a day with a change of the clock has 23 or 25 hours. */
function next(ms: number, { unit, count }: Step): number {
  const date = new Date(ms);
  switch (unit) {
    case 'minute':
      return ms + count * minute;
    case 'hour': {
      const later = new Date(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours() + count).getTime();
      return later > ms ? later : ms + count * hour;
    }
    case 'day': {
      const later = new Date(date.getFullYear(), date.getMonth(), date.getDate() + count);
      // Every two days begins again with the month: not the 31st and then the 1st.
      return (count === 2 && later.getMonth() !== date.getMonth() ? new Date(later.getFullYear(), later.getMonth(), 1) : later).getTime();
    }
    case 'month':
      return new Date(date.getFullYear(), date.getMonth() + count).getTime();
    case 'year':
      return new Date(date.getFullYear() + count, 0).getTime();
  }
}

const format = (options: Intl.DateTimeFormatOptions) => (at: number) => new Date(at).toLocaleString('en-GB', options);
const clock = format({ hour: '2-digit', minute: '2-digit' });
const dayAndMonth = format({ day: 'numeric', month: 'short' });
const monthName = format({ month: 'short' });

/** As short as the tick before allows: the day where it is another, the year where it is another. */
function textOf(at: number, before: number, { unit }: Step): string {
  const [now, last] = [new Date(at), Number.isFinite(before) ? new Date(before) : null];
  const year = last !== null && last.getFullYear() === now.getFullYear() ? '' : ` ${now.getFullYear()}`;
  switch (unit) {
    case 'minute':
    case 'hour':
      return last?.toDateString() === now.toDateString() ? clock(at) : `${dayAndMonth(at)}, ${clock(at)}`;
    case 'day':
      return `${dayAndMonth(at)}${last === null ? '' : year}`;
    case 'month':
      return `${monthName(at)}${year}`;
    case 'year':
      return String(now.getFullYear());
  }
}
