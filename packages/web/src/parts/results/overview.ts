// The summary's groups as a table. Pure.
import type { Campaign, CampaignSummary } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type Cell, type ChartTable, quantityColumn } from '../../charts/frame/table.ts';
import { pValue, signed } from '../../text/format.ts';
import { metricNames, outcomeNames, protocolNames } from '../../text/vocabulary.ts';
import { isUnfinished, siteName } from './groups.ts';

const order: readonly Protocol[] = ['h3', 'h2', 'h1'];

export function overviewTable(campaign: Pick<Campaign, 'sites' | 'spec'>, { groups, primaryMetric }: CampaignSummary): ChartTable {
  const { name, unit } = metricNames[primaryMetric];
  const protocols = order.filter((protocol) => campaign.spec.protocols.includes(protocol));
  const numbered = (format: (value: number) => string) => (cell: Cell) => (typeof cell === 'number' ? format(cell) : '–');
  const right = { align: 'right' as const };
  const delta = { ...right, format: numbered(signed) };
  return {
    columns: [
      ...[{ name: 'site' }, { name: 'condition' }, { name: 'view' }, { name: `verdict on ${name}` }],
      ...protocols.map((protocol) => quantityColumn(`${protocolNames[protocol]} median`, unit)),
      ...[
        { name: 'H3-Delta', ...delta },
        { name: 'low', ...delta },
        { name: 'high', ...delta },
      ],
      ...[
        { name: 'corrected p', ...right, format: numbered(pValue) },
        { name: 'rounds', ...right },
        { name: 'invalid', ...right },
      ],
    ],
    rows: groups.map(({ siteId, condition, view, comparison, medians, h3Delta, visits }) => [
      ...[siteName(campaign, siteId), condition, view],
      comparison === null ? null : isUnfinished(comparison) ? 'unfinished' : outcomeNames[comparison.outcome],
      ...protocols.map((protocol) => medians[protocol] ?? null),
      // With an interval the value that belongs to it: of rounds up to the last look.
      ...[comparison?.delta?.value ?? h3Delta, comparison?.delta?.low ?? null, comparison?.delta?.high ?? null],
      ...[comparison?.adjustedP ?? null, comparison?.rounds ?? null, visits.invalid],
    ]),
  };
}
