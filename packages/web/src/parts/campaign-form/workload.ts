// A campaign of REST calls as its form has it: the choices of its workload, and what becomes of a request that turns from pages to calls.
import type { CampaignRequest, Workload } from '@pronghorn/core/schemas';
import type { Change } from './field-problems.ts';

/** Whoever gives a workload has asked for its engine. */
export const isOfRuns = ({ engine, workload }: Pick<CampaignRequest, 'engine' | 'workload'>): boolean =>
  engine === 'transaction' || (engine === undefined && workload !== undefined);

/** What a request asks for that the other kind has not, left out. */
export function asRuns({ sites, limits }: CampaignRequest): Change {
  const {
    loadTimeoutMs: _load,
    quietMs: _quiet,
    settleMaxMs: _settle,
    maxRequests: _requests,
    maxTransferBytes: _bytes,
    ...own
  } = limits ?? {};
  return {
    engine: 'transaction',
    sites: sites.map(({ visitor: _, ...site }) => site),
    limits: Object.keys(own).length === 0 ? undefined : own,
    ...{ browser: undefined, isolation: undefined, discovery: undefined, engineOptions: undefined, netlogs: undefined },
    ...{ visitor: undefined, primaryMetric: undefined, views: undefined },
  };
}
export const asPages = ({ sites }: CampaignRequest): Change => ({
  sites: sites.map(({ workload: _, ...site }) => site),
  ...{ engine: undefined, workload: undefined, browser: undefined, primaryMetric: undefined, views: undefined },
});

type Mode = NonNullable<Workload['mode']>;
type Choice<Value> = { value: Value; name: string; words: string };

export const methodChoices: readonly Choice<NonNullable<Workload['method']>>[] = [
  { value: 'GET', name: 'GET', words: 'Asks for what is at the URL.' },
  { value: 'POST', name: 'POST', words: 'Sends a body that is made up.' },
];
export const modeChoices: readonly Choice<Mode>[] = [
  { value: 'count', name: 'A number of requests', words: 'Each user sends one after another, so many.' },
  { value: 'duration', name: 'A time', words: 'Each user sends one after another until the time is over.' },
  { value: 'rate', name: 'A rate', words: 'So many are due a second, whether earlier ones have ended or not (open loop).' },
];
export const connectionChoices: readonly Choice<NonNullable<Workload['connections']>>[] = [
  { value: 'user', name: 'One for each user', words: 'As browsers and apps of many people have them.' },
  { value: 'shared', name: 'Shared', words: 'Requests of all users go side by side over some.' },
  { value: 'pool', name: 'A pool', words: 'As many as Go’s HTTP client opens.' },
  { value: 'each', name: 'One for each request', words: 'Each request has a handshake of its own.' },
];
export const arrivalChoices: readonly Choice<NonNullable<Workload['arrivals']>>[] = [
  { value: 'even', name: 'At equal distances', words: 'As a clock.' },
  { value: 'poisson', name: 'At random distances', words: 'As of many people who know nothing of each other.' },
];

export type NumberOfWorkload = 'users' | 'requests' | 'seconds' | 'requestsPerSecond' | 'shared' | 'bodyBytes' | 'requestTimeoutMs';

/** What is taken where nothing is said, in its own unit; undefined: nothing is. */
export const usualNumber = (field: NumberOfWorkload, { mode = 'count' }: Workload): number | undefined =>
  ({
    users: mode === 'rate' ? 1_000 : 1,
    requests: 100,
    seconds: 10,
    requestsPerSecond: undefined,
    shared: 1,
    bodyBytes: 0,
    requestTimeoutMs: 30_000,
  })[field];

/** Whether a field says something of such a workload, or holds what must be mended. */
export function hasField(field: NumberOfWorkload | 'arrivals', workload: Workload): boolean {
  if (workload[field] !== undefined) return true;
  const { method = 'GET', mode = 'count', connections = 'user' } = workload;
  switch (field) {
    case 'requests':
      return mode === 'count';
    case 'seconds':
      return mode !== 'count';
    case 'requestsPerSecond':
    case 'arrivals':
      return mode === 'rate';
    case 'shared':
      return connections === 'shared';
    case 'bodyBytes':
      return method === 'POST';
    default:
      return true;
  }
}

/** The workload with a change; what another choice has no use for goes. Undefined: as usual. */
export function workloadWith(
  workload: Workload | undefined,
  change: { [Key in keyof Workload]?: Workload[Key] | undefined },
): Workload | undefined {
  const next: typeof change = { ...workload, ...change };
  if ('mode' in change) {
    if (next.mode === 'duration' || next.mode === 'rate') next.requests = undefined;
    else next.seconds = undefined;
    if (next.mode !== 'rate') next.requestsPerSecond = next.arrivals = undefined;
  }
  if ('method' in change && next.method !== 'POST') next.bodyBytes = undefined;
  if ('connections' in change && next.connections !== 'shared') next.shared = undefined;
  const said = Object.entries(next).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : (Object.fromEntries(said) as Workload);
}
