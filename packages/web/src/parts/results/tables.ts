// Tables of medians: of all cells, of all metrics of a cell, and of a protocol against itself. Pure.

import { isUnfinished } from '@pronghorn/core/answer';
import type { Campaign, CampaignSummary, CellResults, MetricName } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type ChartTable, type Column, quantityColumn } from '../../charts/frame/table.ts';
import { pValue, quantityOrMore, signed } from '../../text/format.ts';
import { metricNames, outcomeNames, protocolNames } from '../../text/vocabulary.ts';
import { namedSlots, siteName } from './cells.ts';

const order: readonly Protocol[] = ['h3', 'h2', 'h1'];
const right = (name: string): Column => ({ name, align: 'right' });
const numberColumn = (name: string, format: (value: number) => string): Column => ({
  ...{ name, align: 'right' },
  format: (cell) => (typeof cell === 'number' ? format(cell) : '–'),
});

export function overviewTable(campaign: Pick<Campaign, 'sites' | 'spec'>, { cells, primaryMetric }: CampaignSummary): ChartTable {
  const { name, unit } = metricNames[primaryMetric];
  const protocols = order.filter((protocol) => campaign.spec.protocols.includes(protocol));
  return {
    columns: [
      ...[{ name: 'site' }, { name: 'condition' }, { name: 'view' }, { name: `verdict on ${name}` }],
      ...protocols.map((protocol) => quantityColumn(`${protocolNames[protocol]} median`, unit)),
      ...['H3-Delta', 'low', 'high'].map((title) => numberColumn(title, signed)),
      ...[numberColumn('corrected p', pValue), right('rounds'), right('invalid')],
    ],
    rows: cells.map(({ siteId, condition, view, comparison, medians, h3Delta, visits }) => [
      ...[siteName(campaign, siteId), condition, view],
      comparison === null ? null : isUnfinished(comparison) ? 'unfinished' : outcomeNames[comparison.outcome],
      ...protocols.map((protocol) => medians[protocol] ?? null),
      // The value that belongs to the interval: over rounds up to the last look.
      ...[comparison?.delta?.value ?? h3Delta, comparison?.delta?.low ?? null, comparison?.delta?.high ?? null],
      ...[comparison?.adjustedP ?? null, comparison?.rounds ?? null, visits.invalid],
    ]),
  };
}

export function allMetricsTable(cell: CellResults): ChartTable {
  const slots = namedSlots(cell);
  const isCompared = Object.values(cell.h3Delta).some((delta) => delta !== null);
  return {
    columns: [{ name: 'median of' }, ...slots.map(({ name }) => right(name)), ...(isCompared ? [numberColumn('H3-Delta', signed)] : [])],
    // A cell has what its campaign measures.
    rows: (Object.keys(cell.h3Delta) as MetricName[]).map((metric) => [
      metricNames[metric].name,
      ...slots.map(({ metrics }) =>
        metrics[metric] ? quantityOrMore(metrics[metric].median, metricNames[metric].unit, metrics[metric].censored?.atLeastMs) : '–',
      ),
      ...(isCompared ? [cell.h3Delta[metric] ?? null] : []),
    ]),
  };
}

/** A/A: two slots of one protocol. What differs between them is noise. */
export const selfComparisonsTable = ({ selfComparisons }: CellResults): ChartTable => ({
  columns: [
    ...[{ name: 'protocol' }, { name: 'slots' }, { name: 'metric' }, right('rounds')],
    ...[numberColumn('difference of medians ÷ the larger', signed), numberColumn('p', pValue)],
  ],
  rows: selfComparisons.map(({ protocol, slots, metric, rounds, delta, p }) => [
    ...[protocolNames[protocol], slots.map((slot) => slot + 1).join(' and '), metricNames[metric].name, rounds, delta, p],
  ]),
});
