/**
 * A line with its end of line, by RFC 4180: CRLF, fields quoted if needed, quotes doubled inside. Unknown values are empty.
 *
 * A text that a spreadsheet would read as a formula gets an apostrophe in front, as https://owasp.org/www-community/attacks/CSV_Injection
 * advises: names, URLs and errors come from pages under test.
 */
export function toLine(fields: readonly (string | number | null | undefined)[]): string {
  return `${fields.map(toField).join(',')}\r\n`;
}

function toField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
