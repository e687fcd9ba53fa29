// Turns a campaign's workload into the plan of one run.
import { readFileSync } from 'node:fs';
import {
  type CallLimits,
  type Lease,
  urlsOfRun,
  type WholeWorkload,
  type Workload,
  workloadLimits,
  workloadOf,
} from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Plan } from './program.ts';

/** Requests of a run that its evidence holds one by one. */
const maxSamples = 20_000;

export function planOf(
  url: string,
  workload: WholeWorkload,
  protocol: Protocol,
  view: View,
  seed: number,
  { seconds: maxSeconds }: Pick<CallLimits, 'seconds'> = workloadLimits,
): Omit<Plan, 'at' | 'authority' | 'askUsage'> {
  const { connections, mode } = workload;
  return {
    urls: urlsOfRun(url, workload.paths),
    method: workload.method,
    body: workload.bodyBytes,
    protocol,
    mode,
    users: workload.users,
    requests: workload.requests,
    // A count has a time limit too: requests not sent by then have failed.
    seconds: mode === 'count' ? maxSeconds : workload.seconds,
    requestsPerSecond: workload.requestsPerSecond,
    poisson: workload.arrivals === 'poisson',
    seed,
    connections: connections === 'each' ? 'user' : connections,
    shared: connections === 'shared' ? workload.shared : 1,
    state: connections === 'each' ? 'each' : view,
    earlyData: workload.earlyData && protocol === 'h3',
    timeoutMs: workload.requestTimeoutMs,
    maxSamples,
  };
}

/** Reduces a complete workload to the fields that its mode and its connections use. */
export function askedOf({ requests, seconds, requestsPerSecond, arrivals, shared, ...rest }: WholeWorkload): Workload {
  return {
    ...rest,
    ...(rest.mode === 'count' ? { requests } : { seconds }),
    ...(rest.mode === 'rate' && { requestsPerSecond, arrivals }),
    ...(rest.connections === 'shared' && { shared }),
  };
}

/** @throws Error where the campaign has none */
export function workloadOfLease({ spec, site }: Pick<Lease, 'spec' | 'site'>): WholeWorkload {
  const workload = workloadOf(spec, site);
  if (workload === null) throw new Error(`The campaign of ${site.url} has no workload: its engine is ${spec.engine}.`);
  return workload;
}

// Client and server of REST calls on cores of their own: if one took time from the other, protocols would seem to differ.

/** Fewer than two each, and one would be too slow for the other. */
const minCores = 4;

/** In the format of `taskset -c`. */
export interface Cores {
  client: string;
  server: string;
}

/**
 * The cores that this process may use, in two halves; null where there are too few.
 *
 * @param allowed such as 0-3,8: `Cpus_allowed_list` of /proc/self/status
 */
export function coresApart(allowed = allowedCores()): Cores | null {
  const cores = allowed.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
  if (cores.length < minCores) return null;
  const half = Math.floor(cores.length / 2);
  return { client: cores.slice(0, half).join(','), server: cores.slice(half).join(',') };
}

function allowedCores(): string {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (list === undefined) throw new Error('/proc/self/status does not list the cores that this process may use.');
  return list;
}
