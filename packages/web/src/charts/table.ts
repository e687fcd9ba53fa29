// A chart's numbers as a table.
import { number, signed, unitNames } from '../text/format.ts';
import type { Unit } from '../text/vocabulary.ts';

/** Of what is drawn; `delta`: numbers with their sign, as H3-Delta. */
export type ChartUnit = Unit | 'delta';

export type Column = {
  name: string;
  /** Its name in CSV, where that is another. */
  csvName?: string;
  /** Numbers stand at the right. */
  align?: 'left' | 'right';
  /** How a cell is shown; in CSV it stands as it is. */
  format?: (cell: Cell) => string;
};
export type Cell = string | number | null;
export type ChartTable = { columns: readonly Column[]; rows: readonly (readonly Cell[])[] };

/** `onLoad, ms` */
export const axisTitle = (name: string, unit: ChartUnit) =>
  unit === 'delta' || unitNames[unit] === '' ? name : `${name}, ${unitNames[unit]}`;

/** Numbers of a metric: shown as kB and %, in CSV as they are stored, in bytes and as shares of 1. */
export function quantityColumn(name: string, unit: ChartUnit): Column {
  const written = (value: number) => (unit === 'delta' ? signed(value) : number(value, unit));
  const stored = unit === 'bytes' ? 'bytes' : unit === 'share' ? 'share of 1' : '';
  return {
    ...{ name: axisTitle(name, unit), align: 'right', format: (cell) => (typeof cell === 'number' ? written(cell) : '–') },
    ...(stored === '' ? {} : { csvName: `${name}, ${stored}` }),
  };
}
