// A chart's numbers as a table, on the page and as CSV.
import { number, quantity, signed, unitNames } from '../../text/format.ts';
import type { Unit } from '../../text/vocabulary.ts';

/** `delta`: numbers with their sign, as H3-Delta. */
export type ChartUnit = Unit | 'delta';

export type Column = {
  name: string;
  /** Its name in CSV, where that differs. */
  csvName?: string;
  align?: 'left' | 'right';
  /** How a cell is shown; CSV has it as it is. */
  format?: (cell: Cell) => string;
};
export type Cell = string | number | null;
export type ChartTable = { columns: readonly Column[]; rows: readonly (readonly Cell[])[] };

/** `onLoad, ms` */
export const axisTitle = (name: string, unit: ChartUnit) =>
  unit === 'delta' || unitNames[unit] === '' ? name : `${name}, ${unitNames[unit]}`;

/** With its unit. */
export const valueText = (value: number, unit: ChartUnit): string => (unit === 'delta' ? signed(value) : quantity(value, unit));

export const rightColumn = (name: string) => ({ name, align: 'right' as const });

/** A column of numbers, with a dash where there is none. */
export const numberColumn = (name: string, write: (value: number) => string): Column => ({
  ...rightColumn(name),
  format: (cell) => (typeof cell === 'number' ? write(cell) : '–'),
});

/** A metric's numbers: shown as kB and %, in CSV as stored, in bytes and as shares of 1. */
export function quantityColumn(name: string, unit: ChartUnit): Column {
  const stored = unit === 'bytes' ? 'bytes' : unit === 'share' ? 'share of 1' : '';
  return {
    ...numberColumn(axisTitle(name, unit), (value) => (unit === 'delta' ? signed(value) : number(value, unit))),
    ...(stored === '' ? {} : { csvName: `${name}, ${stored}` }),
  };
}

/**
 * RFC 4180, numbers in full, with a header line. An apostrophe disarms text that a spreadsheet would run as a formula: names come from
 * pages, which may be hostile.
 */
export function csvOf({ columns, rows }: ChartTable): string {
  const cell = (content: Cell): string => {
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

/** Downloads a file. */
export function save(blob: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = fileName.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
