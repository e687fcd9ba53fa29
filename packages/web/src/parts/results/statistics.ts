// The numbers of one metric in a table: the statistics to choose from, and the table as CSV. Pure.
import type { CellResults, FailureRate, MetricName, Summary } from '@pronghorn/core/schemas';
import type { Cell, ChartTable } from '../../charts/frame/table.ts';
import type { Term } from '../../text/explanations.ts';
import { percent, quantityOrMore } from '../../text/format.ts';
import type { Unit } from '../../text/vocabulary.ts';
import { namedSlots } from './cells.ts';

export type Statistic = Exclude<keyof Summary, 'cvClass' | 'n' | 'censored'>;
export const statistics: readonly { name: Statistic; title: string; term?: Term }[] = [
  { name: 'min', title: 'min' },
  { name: 'p5', title: 'p5', term: 'percentile' },
  { name: 'p10', title: 'p10', term: 'percentile' },
  { name: 'p25', title: 'p25', term: 'percentile' },
  { name: 'median', title: 'median', term: 'median' },
  { name: 'p75', title: 'p75', term: 'percentile' },
  { name: 'p90', title: 'p90', term: 'percentile' },
  { name: 'p95', title: 'p95', term: 'percentile' },
  { name: 'p99', title: 'p99', term: 'percentile' },
  { name: 'max', title: 'max' },
  { name: 'mean', title: 'mean' },
  { name: 'stdev', title: 'SD', term: 'stdev' },
  { name: 'iqr', title: 'IQR', term: 'iqr' },
  { name: 'cv', title: 'CV', term: 'cv' },
];
export const statisticNames: readonly Statistic[] = statistics.map(({ name }) => name);
export const statisticsAtFirst: readonly Statistic[] = ['median', 'p75', 'p90', 'p99', 'min', 'max'];

/** The coefficient of variation is a share, whatever the metric. */
export const unitOf = (statistic: Statistic, unit: Unit): Unit => (statistic === 'cv' ? 'share' : unit);

const ofAllValues: readonly Statistic[] = ['mean', 'stdev', 'iqr', 'cv'];

/** Stands in for a number: `≥ 60 s` where a quantile lies among loads that failed. */
export const withoutNumber = (statistic: Statistic, summary: Summary | undefined): string =>
  ofAllValues.includes(statistic) ? '–' : quantityOrMore(null, 'ms', summary?.censored?.atLeastMs);

/** The share of failed loads, with its interval. */
export function failureTitle({ failed, loads, share, low, high }: FailureRate): string {
  if (share === null || low === null || high === null) return 'No visit counts yet.';
  return `${failed} of ${loads} visits failed: ${percent(share)}, exact 95 % interval ${percent(low)} to ${percent(high)}`;
}

/** In full digits, for a spreadsheet. */
export function statisticsTable(cells: readonly CellResults[], metric: MetricName, chosen: readonly Statistic[]): ChartTable {
  return {
    columns: ['site', 'condition', 'view', 'protocol', 'metric', 'n', 'failed', ...chosen].map((name) => ({ name })),
    rows: cells.flatMap((cell) =>
      namedSlots(cell).map(({ name, metrics, failures }): Cell[] => {
        const summary = metrics[metric];
        return [
          ...[cell.siteId, cell.condition, cell.view, name, metric, summary?.n ?? 0, failures.failed],
          ...chosen.map((statistic) => summary?.[statistic] ?? null),
        ];
      }),
    ),
  };
}
