// A SpreadPlot as a table: each slot's percentiles, as the API gives them.
import { number, unitNames } from '../text/format.ts';
import { protocolNames, type Unit } from '../text/vocabulary.ts';
import type { SpreadGroup } from './spread.ts';
import type { Cell, ChartTable } from './table.ts';

export function spreadTable(groups: readonly SpreadGroup[], unit: Unit): ChartTable {
  const format = (cell: Cell) => (typeof cell === 'number' ? number(cell, unit) : '–');
  const inUnit = unitNames[unit] === '' ? '' : `, ${unitNames[unit]}`;
  return {
    columns: [
      ...[{ name: 'condition' }, { name: 'protocol' }, { name: 'visits', align: 'right' as const }],
      ...['p10', 'p25', 'median', 'p75', 'p90'].map((name) => ({ name: `${name}${inUnit}`, align: 'right' as const, format })),
    ],
    rows: groups.flatMap(({ label, slots }) =>
      slots.map(({ protocol, name, values, distribution }) => {
        const box = distribution?.box;
        return [
          ...[label, name ?? protocolNames[protocol], distribution?.n ?? values.length],
          ...[
            box?.whiskerLow ?? null,
            box?.lowerQuartile ?? null,
            box?.median ?? null,
            box?.upperQuartile ?? null,
            box?.whiskerHigh ?? null,
          ],
        ];
      }),
    ),
  };
}
