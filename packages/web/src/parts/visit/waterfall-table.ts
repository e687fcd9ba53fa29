// The waterfall's numbers: for the table beside the picture, and for CSV.
import type { ChartTable, Column } from '../../charts/table.ts';
import { number } from '../../text/format.ts';
import { type Connection, connectionsOf } from './connections.ts';
import { endOf, phasesOf } from './phases.ts';
import { protocolWords } from './resource-facts.ts';
import type { ShownVisit } from './visit-names.ts';
import type { WaterfallRow } from './waterfall-rows.ts';

const ms = (name: string): Column => ({
  name: `${name} (ms)`,
  align: 'right',
  format: (cell) => (typeof cell === 'number' ? number(cell, 'ms') : '–'),
});
const columns: readonly Column[] = [
  { name: 'URL' },
  { name: 'Host' },
  { name: 'Method' },
  { name: 'Type' },
  { name: 'Protocol' },
  { name: 'Connection', align: 'right' },
  { name: 'Priority' },
  { name: 'Status', align: 'right' },
  { name: 'Failure' },
  { name: 'Initiator' },
  { name: 'Received (bytes)', align: 'right' },
  { name: 'Body (bytes)', align: 'right' },
  ms('Start'),
  ms('Queued'),
  ms('DNS'),
  ms('Connecting'),
  ms('TLS'),
  ms('Sending'),
  ms('Waiting'),
  ms('Receiving'),
  ms('End'),
];

/** @param rows as they are filtered and sorted. */
export function waterfallTable(rows: readonly WaterfallRow[], visits: readonly ShownVisit[]): ChartTable {
  const connections: Map<number, Connection>[] = visits.map(({ resources }) => connectionsOf(resources));
  const isPair = visits.length > 1;
  return {
    columns: isPair ? [{ name: 'Visit' }, ...columns] : columns,
    rows: rows.flatMap(({ parts }) =>
      parts.flatMap((resource, visit) => {
        if (resource === null) return [];
        const { url, host, method, type, connectionId, priority, status, failure, initiatorUrl, initiatorType } = resource;
        const cells = [
          ...[url, host, method, type, protocolWords(resource)],
          connectionId === null ? null : (connections[visit]?.get(connectionId)?.number ?? null),
          ...[priority, status, failure, initiatorUrl ?? initiatorType, resource.transferBytes, resource.bodyBytes, resource.startMs],
          ...phasesOf(resource).map(([, spentMs]) => spentMs),
          endOf(resource),
        ];
        return [isPair ? [visits[visit]?.name ?? null, ...cells] : cells];
      }),
    ),
  };
}
