// Days of a calendar as moments: the reader's own, from midnight to midnight.

/** When a day begins, as ISO 8601. @param day as 2026-03-01; null for anything else. */
export const startOfDay = (day: string): string | null => moment(day, 0);

/** When the day after it begins. */
export const afterDay = (day: string): string | null => moment(day, 1);

function moment(day: string, daysLater: number): string | null {
  const [, year, month, date] = day.match(/^(\d{4})-(\d\d)-(\d\d)$/) ?? [];
  if (year === undefined) return null;
  const found = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(found.getTime()) ? null : found.toISOString();
}
