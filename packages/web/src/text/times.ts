// Times as people read them: how long ago, and in which zone.
import { monthNames } from '@pronghorn/core/text';

const steps = [
  ['s', 1000, 60],
  ['min', 60_000, 60],
  ['h', 3_600_000, 48],
  ['days', 86_400_000, Number.POSITIVE_INFINITY],
] as const;

/**
 * How long ago something happened; never in the future, although the page's clock may be behind the service's and moves in steps.
 */
export const ago = (iso: string, now: number): string => relative(iso, Math.max(now, Date.parse(iso)));

/** How far a time lies from now that may be to come: just now, 12 s ago, 3 min ago, in 5 h, in 3 days. */
export function relative(iso: string, now: number): string {
  const distance = Date.parse(iso) - now;
  if (Number.isNaN(distance)) return iso;
  if (Math.abs(distance) < 1000) return 'just now';
  const words = span(Math.abs(distance));
  return distance < 0 ? `${words} ago` : `in ${words}`;
}

/** How long something took, with one unit: 40 s, 3 min, 5 h, 3 days. @param ms zero or more. */
export function span(ms: number): string {
  for (const [unit, unitMs, most] of steps) {
    const count = Math.round(ms / unitMs);
    if (count < most) return `${count} ${unit}`;
  }
  return '';
}

let zone: string | undefined;
/** Of this browser, such as Europe/Berlin. Asked for once: the first answer takes a phone 50 ms, and later ones as many. */
export const readersZone = (): string => (zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone);

/** Kept, for the same reason. */
const formats = new Map<string, Intl.DateTimeFormat>();
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const made = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { ...parts, timeZone });
  formats.set(timeZone, made);
  return made;
}

/** Day and minute in a zone: Mon, 2 Mar 2026, 02:30. A zone that the browser does not know gives UTC. */
export function timeIn(iso: string, timeZone: string = readersZone()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  try {
    return formatIn(timeZone).format(date);
  } catch {
    return `${formatIn('UTC').format(date)} UTC`;
  }
}

/** Hour and minute in the reader's zone, with the day where it isn't today: 14:05; Mon, 2 Mar, 02:30. */
export function clock(iso: string, now: number = Date.now()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const hour = { hour: '2-digit', minute: '2-digit' } as const;
  const isToday = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString('en-GB', isToday ? hour : { weekday: 'short', day: 'numeric', month: 'short', ...hour });
}

/** When a day begins in the reader's zone, as ISO 8601. @param day as 2026-03-01; null for anything else. */
export const startOfDay = (day: string): string | null => moment(day, 0);

/** When the day after it begins. */
export const afterDay = (day: string): string | null => moment(day, 1);

function moment(day: string, daysLater: number): string | null {
  const [, year, month, date] = day.match(/^(\d{4})-(\d\d)-(\d\d)$/) ?? [];
  if (year === undefined) return null;
  const midnight = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(midnight.getTime()) ? null : midnight.toISOString();
}

/** 22 Nov 2026. @param day as 2026-11-22; anything else stays as it is. */
export function dayText(day: string): string {
  const start = startOfDay(day);
  if (start === null) return day;
  return new Date(start).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
}

/**
 * Reads a day as people write it: 22 Nov 2026, 22 November, 2026-11-22. Without a year it is of this one.
 * @returns as 2026-11-22; empty for an empty text; null for what is no day, such as 31 Feb
 */
export function dayOfText(text: string, now: number = Date.now()): string | null {
  const words = text.trim().toLowerCase();
  if (words === '') return '';
  const [, year, month, date] = words.match(/^(\d{4})-(\d\d?)-(\d\d?)$/) ?? [];
  if (year !== undefined) return dayIn(Number(year), Number(month), Number(date));
  const [, dayNumber, name = '', ofYear] = words.match(/^(\d\d?)\.?\s+([a-z]{3,9})\.?(?:,?\s+(\d{4}))?$/) ?? [];
  if (dayNumber === undefined) return null;
  return dayIn(
    Number(ofYear ?? new Date(now).getFullYear()),
    monthNames.findIndex((month) => month.toLowerCase() === name.slice(0, 3)) + 1,
    Number(dayNumber),
  );
}

function dayIn(year: number, month: number, day: number): string | null {
  const date = new Date(year, month - 1, day);
  const isReal = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day;
  const two = (part: number) => String(part).padStart(2, '0');
  return isReal ? `${year}-${two(month)}-${two(day)}` : null;
}
