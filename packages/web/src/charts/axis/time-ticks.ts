// Round times on an axis, in the reader's time zone.
import { type TimeInterval, timeDay, timeHour, timeMinute, timeMonday, timeMonth, timeYear } from 'd3-time';
import type { Range } from './scale.ts';

export type TimeTick = { at: number; text: string };

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
type Step = { unit: 'minute' | 'hour' | 'day' | 'month' | 'year'; every: TimeInterval | null; aboutMs: number };
/** In the reader's calendar; weeks begin on Mondays. */
const steps: readonly Step[] = [
  ...[1, 5, 15, 30].map((count): Step => ({ unit: 'minute', every: timeMinute.every(count), aboutMs: count * minuteMs })),
  ...[1, 3, 6, 12].map((count): Step => ({ unit: 'hour', every: timeHour.every(count), aboutMs: count * hourMs })),
  ...[1, 2].map((count): Step => ({ unit: 'day', every: timeDay.every(count), aboutMs: count * dayMs })),
  ...[1, 2].map((count): Step => ({ unit: 'day', every: timeMonday.every(count), aboutMs: 7 * count * dayMs })),
  ...[1, 3, 6].map((count): Step => ({ unit: 'month', every: timeMonth.every(count), aboutMs: count * 30.4 * dayMs })),
  ...[1, 2, 5, 10].map((count): Step => ({ unit: 'year', every: timeYear.every(count), aboutMs: count * 365.25 * dayMs })),
];

/**
 * Midnights, firsts of a month, full hours.
 *
 * @param range in milliseconds since 1970
 * @param count an approximate maximum; half as many again where there would be only one, which doesn't show the axis' scale
 */
export function timeTicks(range: Range, count: number): TimeTick[] {
  const ticksFor = (most: number) => {
    const step = steps.find(({ aboutMs }) => (range[1] - range[0]) / aboutMs <= most) ?? (steps.at(-1) as Step);
    const dates = step.every?.range(new Date(range[0]), new Date(range[1] + 1)) ?? [];
    return dates.map((date, index) => ({ at: date.getTime(), text: timeText(date, dates[index - 1], step) }));
  };
  const ticks = ticksFor(count);
  return ticks.length > 1 ? ticks : ticksFor(count * 1.5);
}

const inWords = (options: Intl.DateTimeFormatOptions) => (date: Date) => date.toLocaleString('en-GB', options);
const clock = inWords({ hour: '2-digit', minute: '2-digit' });
const dayAndMonth = inWords({ day: 'numeric', month: 'short' });
const monthName = inWords({ month: 'short' });

/** The day only where it differs from the previous tick's, and likewise the year. */
function timeText(date: Date, before: Date | undefined, { unit }: Step): string {
  const year = before?.getFullYear() === date.getFullYear() ? '' : ` ${date.getFullYear()}`;
  switch (unit) {
    case 'minute':
    case 'hour':
      return before?.toDateString() === date.toDateString() ? clock(date) : `${dayAndMonth(date)}, ${clock(date)}`;
    case 'day':
      return `${dayAndMonth(date)}${before === undefined ? '' : year}`;
    case 'month':
      return `${monthName(date)}${year}`;
    case 'year':
      return String(date.getFullYear());
  }
}
