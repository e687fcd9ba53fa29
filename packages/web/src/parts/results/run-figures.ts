// Throughput and costs of runs of REST calls, a row for each site, condition, view and protocol. Pure.
import type { Campaign, CellResults, MetricName, SlotResults } from '@pronghorn/core/schemas';
import { type Cell, type ChartTable, type Column, quantityColumn } from '../../charts/frame/table.ts';
import { percent, quantityOrMore } from '../../text/format.ts';
import { metricNames } from '../../text/vocabulary.ts';
import { namedSlots, siteName } from './cells.ts';

/** Medians over the runs, by their column heads. */
const figures: readonly (readonly [metric: MetricName, title: string])[] = [
  ['requestsPerSecond', 'requests'],
  ['bytesPerSecond', 'bodies'],
  ['responseTime', 'response time'],
  ['latency', 'latency p50'],
  ['latencyP95', 'latency p95'],
  ['latencyP99', 'latency p99'],
  ['ttfb', 'first byte'],
  ['handshake', 'handshake'],
  ['connections', 'connections'],
  ['clientCpu', 'client CPU a request'],
  ['serverCpu', 'server CPU a request'],
  ['clientMemory', 'client memory'],
  ['serverMemory', 'server memory'],
  ['packets', 'packets'],
  ['resentPackets', 'sent again'],
];

const columnOf = ([metric, title]: (typeof figures)[number]): Column => {
  const { unit } = metricNames[metric];
  const megabytes = unit === 'bytes' ? 'MB' : unit === 'bytes/s' ? 'MB/s' : null;
  if (megabytes === null) return quantityColumn(title, unit);
  return {
    ...{ name: `${title}, ${megabytes}`, csvName: `${title}, ${unit}`, align: 'right' },
    format: (cell) => (typeof cell === 'number' ? (cell / 1e6).toFixed(cell < 1e6 ? 3 : 1) : '–'),
  };
};

/** The failed share of all requests of the counted runs: mean failures divided by mean requests. */
export function successShare({ metrics: { requests, failedRequests } }: Pick<SlotResults, 'metrics'>): number | null {
  if (requests?.mean == null || failedRequests?.mean == null || requests.mean === 0) return null;
  return 1 - failedRequests.mean / requests.mean;
}

export function runFiguresTable(campaign: Pick<Campaign, 'sites' | 'spec'>, cells: readonly CellResults[]): ChartTable {
  const [hasSites, hasConditions, hasViews] = [
    campaign.sites.length > 1,
    campaign.spec.conditions.length > 1,
    campaign.spec.views.length > 1,
  ];
  const places = (cell: CellResults): Cell[] => [
    ...(hasSites ? [siteName(campaign, cell.siteId)] : []),
    ...(hasConditions ? [cell.condition] : []),
    ...(hasViews ? [cell.view] : []),
  ];
  return {
    columns: [
      ...[hasSites && 'site', hasConditions && 'condition', hasViews && 'view', 'protocol'].flatMap((name) =>
        name === false ? [] : [{ name }],
      ),
      ...[
        { name: 'runs', align: 'right' as const },
        {
          name: 'successes',
          csvName: 'successes, share of 1',
          align: 'right' as const,
          format: (cell: Cell) => (typeof cell === 'number' ? percent(cell) : '–'),
        },
      ],
      ...figures.map(columnOf),
    ],
    rows: cells.flatMap((cell) =>
      namedSlots(cell).map((slot): Cell[] => [
        ...places(cell),
        slot.name,
        slot.valid,
        successShare(slot),
        ...figures.map(([metric]) => figureOf(slot, metric)),
      ]),
    ),
  };
}

/** Marks a median that lies among failed runs. */
function figureOf({ metrics }: SlotResults, metric: MetricName): Cell {
  const summary = metrics[metric];
  return summary === undefined ? null : (summary.median ?? quantityOrMore(null, metricNames[metric].unit, summary.censored?.atLeastMs));
}
