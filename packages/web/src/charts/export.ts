// Charts and tables as files.
import type { ChartTable } from './table.ts';

/**
 * RFC 4180, numbers in full. What a spreadsheet would run as a formula is quoted by an apostrophe: names come from pages, which may be hostile.
 * @returns with a header line.
 */
export function csvOf({ columns, rows }: ChartTable): string {
  const cell = (content: string | number | null): string => {
    if (content === null) return '';
    if (typeof content === 'number') return String(content);
    const text = /^[=+\-@\t\r]/.test(content) ? `'${content}` : content;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns.map(({ name, csvName }) => csvName ?? name), ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** @param fileName without its ending */
export const saveCsv = (table: ChartTable, fileName: string): void =>
  save(new Blob([csvOf(table)], { type: 'text/csv' }), `${fileName}.csv`);

/** Gives a file to the browser to keep. */
export function save(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
