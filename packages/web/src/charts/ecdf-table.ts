// An EcdfPlot as a table: a row for each step of each line.
import { percent } from '../text/format.ts';
import type { EcdfLine } from './ecdf.ts';
import { type ChartTable, type ChartUnit, quantityColumn } from './table.ts';

/** @param of what the shares are of. */
export function ecdfTable(lines: readonly EcdfLine[], name: string, unit: ChartUnit, of: string): ChartTable {
  return {
    columns: [
      { name: 'line' },
      quantityColumn(name, unit),
      { name: `share of ${of} at or below`, align: 'right', format: (cell) => percent(Number(cell)) },
    ],
    rows: lines.flatMap(({ name: line, steps: { values, shares } }) => values.map((value, i) => [line, value, shares[i] ?? 1])),
  };
}
