// A SpreadPlot as a table: each slot's percentiles, as the API gives them.
import { protocolNames, type Unit } from '../text/vocabulary.ts';
import type { SpreadGroup } from './spread.ts';
import { type ChartTable, quantityColumn } from './table.ts';

export function spreadTable(groups: readonly SpreadGroup[], unit: Unit): ChartTable {
  return {
    columns: [
      ...[{ name: 'condition' }, { name: 'protocol' }, { name: 'visits', align: 'right' as const }],
      ...['p10', 'p25', 'median', 'p75', 'p90'].map((name) => quantityColumn(name, unit)),
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
