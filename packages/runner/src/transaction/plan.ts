// From what a campaign asks for to the plan of one run.
import { type Lease, type Protocol, type View, type WholeWorkload, workloadOf } from '@pronghorn/core';
import { type Lab, usesLab } from '../engines/engine.ts';
import { hostsOf } from '../firefox/inside.ts';
import type { Plan } from './program.ts';

/** So many of a run's requests are kept one by one, in its evidence. */
const mostSamples = 20_000;

/** Where a page's host is found, and what it is trusted by: the demo origin's own, or what the world has. */
export function placeOf(url: string, lab: Lab | undefined): Pick<Plan, 'at' | 'authority'> {
  if (!usesLab({ url }, lab) || lab === undefined) return { at: '', authority: '' };
  const { hostname, port } = new URL(url);
  const address = hostsOf(lab.trust).find(([name]) => name === hostname)?.[1] ?? hostname;
  return { at: `${address.includes(':') ? `[${address}]` : address}:${port || 443}`, authority: lab.trust.ca ?? '' };
}

export function planOf(
  url: string,
  workload: WholeWorkload,
  protocol: Protocol,
  view: View,
  seed: number,
): Omit<Plan, 'at' | 'authority' | 'askUsage'> {
  const { connections, mode } = workload;
  return {
    urls: workload.paths.map((path) => new URL(path, url).href),
    method: workload.method,
    body: workload.bodyBytes,
    protocol,
    mode,
    users: workload.users,
    requests: workload.requests,
    seconds: mode === 'count' ? 0 : workload.seconds,
    requestsPerSecond: workload.requestsPerSecond,
    poisson: workload.arrivals === 'poisson',
    seed,
    connections: connections === 'each' ? 'user' : connections,
    shared: connections === 'shared' ? workload.shared : 1,
    state: connections === 'each' ? 'each' : view,
    earlyData: workload.earlyData && protocol === 'h3',
    timeoutMs: workload.requestTimeoutMs,
    maxSamples: mostSamples,
  };
}

/** @throws Error where the campaign has none */
export function workloadOfLease({ spec, site }: Pick<Lease, 'spec' | 'site'>): WholeWorkload {
  const workload = workloadOf(spec, spec.sites.find(({ url }) => url === site.url) ?? site);
  if (workload === null) throw new Error(`The campaign of ${site.url} has no workload: its engine is ${spec.engine}.`);
  return workload;
}
