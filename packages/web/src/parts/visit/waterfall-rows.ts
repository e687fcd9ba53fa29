// The rows of a waterfall: one for each resource, or, of two visits, one for each that either asked for.
import type { Resource, Visit } from '@pronghorn/core/schemas';
import { protocolOf } from '../../text/vocabulary.ts';
import { endOf } from './phases.ts';

/** Of each visit its resource; null where that visit did not ask for it. At least one is there. */
export interface WaterfallRow {
  /** The same whatever stands beside it, and however rows are filtered and sorted: the resource's `seq`; of one that only the other visit asked for, with that one's id. */
  id: string;
  parts: (Resource | null)[];
}

/** @param visits each with all its resources, the page's own first. The nth request of a URL stands beside the nth of the other visit. */
export function rowsOf(visits: readonly { visit: Pick<Visit, 'id'>; resources: readonly Resource[] }[]): WaterfallRow[] {
  const rows = new Map<string, WaterfallRow>();
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
const startOf = ({ parts }: WaterfallRow) => Math.min(...parts.map((part) => part?.startMs ?? Number.POSITIVE_INFINITY));

/** The resource that a row is called by. */
export const named = ({ parts }: WaterfallRow): Resource => parts.find((part) => part !== null) as Resource;

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

/** A row stays when a resource of it, of either visit, is what is looked for. */
export function filterRows(rows: readonly WaterfallRow[], { host, type, protocol, text, failed }: RowFilter): WaterfallRow[] {
  const wanted = text.trim().toLowerCase();
  const fits = (resource: Resource | null) =>
    resource !== null &&
    (host === '' || resource.host === host) &&
    (type === '' || resource.type === type) &&
    (protocol === '' || protocolOf(resource.protocol) === protocol) &&
    (wanted === '' || resource.url.toLowerCase().includes(wanted)) &&
    (!failed || hasFailed(resource));
  return rows.filter(({ parts }) => parts.some(fits));
}

/** On the network, or by its status. */
export const hasFailed = ({ failure, status }: Resource): boolean => failure !== null || (status ?? 0) >= 400;

const priorities = ['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow'];
const last = '\uffff';

/** Numbers and times: the largest first, but the earliest start and end; words by the alphabet; priorities by their rank. */
export function sortRows(rows: readonly WaterfallRow[], by: Sorting): WaterfallRow[] {
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

/** The last part of a path, as people name files; of what is no page's URL, its beginning. */
export function shortName(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url.slice(0, 40);
  const name = parsed.pathname.split('/').filter(Boolean).at(-1) ?? '/';
  return `${name}${parsed.search}`.slice(0, 80);
}

/** What there is to filter by, the most frequent first. */
export function choices(rows: readonly WaterfallRow[], of: (resource: Resource) => string): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = of(named(row));
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);
}
