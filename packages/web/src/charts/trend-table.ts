// A TrendPlot as a table: a row for each campaign of each line.
import { time } from '../text/format.ts';
import { protocolNames } from '../text/vocabulary.ts';
import { type Cell, type ChartTable, type ChartUnit, quantityColumn } from './table.ts';
import type { TrendPlotSeries } from './trend.ts';

export function trendTable(series: readonly TrendPlotSeries[], name: string, unit: ChartUnit): ChartTable {
  return {
    columns: [
      ...[{ name: 'line' }, { name: 'protocol' }, { name: 'time', format: (cell: Cell) => time(String(cell)) }],
      ...[name, 'low', 'high'].map((column) => quantityColumn(column, unit)),
      ...[{ name: 'commit' }, { name: 'regression' }, { name: 'campaign' }],
    ],
    rows: series.flatMap(({ name: line, protocol, points }) =>
      points.map(({ at, value, interval, commit, regression, campaignId }) => [
        ...[
          line,
          protocolNames[protocol],
          at,
          value,
          interval?.low ?? null,
          interval?.high ?? null,
          commit ?? null,
          regression ?? null,
          campaignId,
        ],
      ]),
    ),
  };
}
