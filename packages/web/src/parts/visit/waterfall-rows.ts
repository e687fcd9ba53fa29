// The rows of a waterfall: one for each resource; for two visits, one for each resource that either requested.
import type { Resource, Visit } from '@pronghorn/core/schemas';
import { type ChartTable, type Column, numberColumn } from '../../charts/frame/table.ts';
import { number } from '../../text/format.ts';
import { type Connection, connectionsOf, endOf, phasesOf, protocolWords, wireProtocol } from './resources.ts';
import type { ShownVisit } from './visit-names.ts';

/** A resource of each visit; null where the visit did not request it. At least one is not null. */
export interface ResourceRow {
  /** Independent of filters, sorting and the visit beside: the resource's `seq`, with the visit's id where only the other visit requested it. */
  id: string;
  parts: (Resource | null)[];
}

/** @param visits each with all its resources, the page's own first. The nth request of a URL stands beside the nth of the other visit. */
export function rowsOf(visits: readonly { visit: Pick<Visit, 'id'>; resources: readonly Resource[] }[]): ResourceRow[] {
  const rows = new Map<string, ResourceRow>();
  visits.forEach(({ visit: { id }, resources }, visit) => {
    const times = new Map<string, number>();
    for (const resource of resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq)) {
      const address = `${resource.method} ${resource.url}`;
      const time = (times.get(address) ?? 0) + 1;
      times.set(address, time);
      const key = `${time} ${address}`;
      const row = rows.get(key) ?? { id: visit === 0 ? String(resource.seq) : `${id}.${resource.seq}`, parts: visits.map(() => null) };
      row.parts[visit] = resource;
      rows.set(key, row);
    }
  });
  return [...rows.values()].sort((a, b) => startOf(a) - startOf(b));
}
const startOf = ({ parts }: ResourceRow) => Math.min(...parts.map((part) => part?.startMs ?? Number.POSITIVE_INFINITY));

/** The resource that names a row. */
export const named = ({ parts }: ResourceRow): Resource => parts.find((part) => part !== null) as Resource;

export const sortings = ['start', 'end', 'duration', 'size', 'name', 'host', 'type', 'protocol', 'priority', 'status'] as const;
export type Sorting = (typeof sortings)[number];

export interface RowFilter {
  host: string;
  type: string;
  protocol: string;
  /** Parts of the URL, in any case. */
  text: string;
  failed: boolean;
}

/** A row stays when its resource of either visit matches. */
export function filterRows(rows: readonly ResourceRow[], { host, type, protocol, text, failed }: RowFilter): ResourceRow[] {
  const wanted = text.trim().toLowerCase();
  const fits = (resource: Resource | null) =>
    resource !== null &&
    (host === '' || resource.host === host) &&
    (type === '' || resource.type === type) &&
    (protocol === '' || wireProtocol(resource.protocol) === protocol) &&
    (wanted === '' || resource.url.toLowerCase().includes(wanted)) &&
    (!failed || hasFailed(resource));
  return rows.filter(({ parts }) => parts.some(fits));
}

/** Loaded over the network, or by status. */
export const hasFailed = ({ failure, status }: Resource): boolean => failure !== null || (status ?? 0) >= 400;

const priorities = ['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow'];
const last = '\uffff';

/** Numbers and times: the largest first, but the earliest start and end; words in alphabetical order; priorities by rank. */
export function sortRows(rows: readonly ResourceRow[], by: Sorting): ResourceRow[] {
  const key = keys[by];
  return rows
    .map((row) => ({ row, key: key(named(row)) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ row }) => row);
}
const keys: Readonly<Record<Sorting, (resource: Resource) => number | string>> = {
  start: ({ startMs }) => startMs,
  end: endOf,
  duration: (resource) => resource.startMs - endOf(resource),
  size: ({ transferBytes }) => -transferBytes,
  name: ({ url }) => shortName(url).toLowerCase(),
  host: ({ host }) => host,
  type: ({ type }) => type,
  protocol: ({ protocol }) => protocol ?? last,
  priority: ({ priority }) => (priority === null ? priorities.length : priorities.indexOf(priority)),
  status: (resource) => -(resource.failure === null ? (resource.status ?? 0) : 1000),
};

/** The last part of a path, as people name files; the beginning of anything that is no page's URL. */
export function shortName(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url.slice(0, 40);
  const name = parsed.pathname.split('/').filter(Boolean).at(-1) ?? '/';
  return `${name}${parsed.search}`.slice(0, 80);
}

/** Values to filter by, the most frequent first. */
export function choices(rows: readonly ResourceRow[], of: (resource: Resource) => string): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = of(named(row));
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}

const ms = (name: string) => numberColumn(`${name} (ms)`, (value) => number(value, 'ms'));
const right = (name: string): Column => ({ name, align: 'right' });
const columns: readonly Column[] = [
  ...['URL', 'Host', 'Method', 'Type', 'Protocol'].map((name) => ({ name })),
  right('Connection'),
  { name: 'Priority' },
  right('Status'),
  ...[{ name: 'Failure' }, { name: 'Initiator' }],
  ...[right('Received (bytes)'), right('Body (bytes)')],
  ...['Start', 'Queued', 'DNS', 'Connecting', 'TLS', 'Sending', 'Waiting', 'Receiving', 'End'].map(ms),
];

/** For the table beside the picture, and for its CSV. */
export function waterfallTable(rows: readonly ResourceRow[], visits: readonly ShownVisit[]): ChartTable {
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
