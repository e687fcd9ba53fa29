// Days as people read and write them.

export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/**
 * The day of a time in UTC, so that a message and every reader's page name the same one: 20 Nov; with its year where that is not the
 * year of `now`: 20 Nov 2025.
 *
 * @param at ISO 8601. @param now milliseconds since 1970; without it no year is named
 */
export function dayWords(at: string, now: number = Date.parse(at)): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const year = date.getUTCFullYear();
  const day = `${date.getUTCDate()} ${monthNames[date.getUTCMonth()]}`;
  return year === new Date(now).getUTCFullYear() ? day : `${day} ${year}`;
}
