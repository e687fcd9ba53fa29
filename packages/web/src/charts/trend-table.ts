// A TrendPlot as a table: a row for each campaign of each line.
import { time } from '../text/format.ts';
import { protocolNames } from '../text/vocabulary.ts';
import type { Cell, ChartTable } from './table.ts';
import { axisTitle, type ChartUnit, valueText } from './theme-options.ts';
import type { TrendPlotSeries } from './trend.ts';

export function trendTable(series: readonly TrendPlotSeries[], name: string, unit: ChartUnit): ChartTable {
  const format = (cell: Cell) => (typeof cell === 'number' ? valueText(cell, unit) : '–');
  return {
    columns: [
      ...[{ name: 'line' }, { name: 'protocol' }, { name: 'time', format: (cell: Cell) => time(String(cell)) }],
      ...[axisTitle(name, unit), 'low', 'high'].map((column) => ({ name: column, align: 'right' as const, format })),
      ...[{ name: 'commit' }, { name: 'regression' }, { name: 'campaign' }],
    ],
    rows: series.flatMap(({ name: line, protocol, points }) =>
      points.map(({ at, value, low, high, commit, regression, campaignId }) => [
        ...[line, protocolNames[protocol], at, value, low ?? null, high ?? null, commit ?? null, regression ?? null, campaignId],
      ]),
    ),
  };
}
