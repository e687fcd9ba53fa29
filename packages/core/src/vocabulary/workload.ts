// The defaults of a run of REST calls, and its limits.
import type { WholeWorkload, Workload } from '../schemas/workload.ts';

/** Upper limits: a measurement loads a server, and a typo must not become an attack. */
export const workloadLimits = {
  users: 1_000,
  requests: 1_000_000,
  seconds: 600,
  requestsPerSecond: 50_000,
  bodyBytes: 2 ** 30,
  requestTimeoutMs: 600_000,
  paths: 100,
  /** Browser contexts of one Chrome: each takes its own process and 35 MB. */
  contexts: 100,
} as const;

/** The campaign’s workload, overridden by the site’s own; null: the campaign loads pages. */
export function workloadOf(
  campaign: { workload?: Workload; engine: string },
  site: { workload?: Workload; url: string },
): WholeWorkload | null {
  if (campaign.engine !== 'transaction') return null;
  const chosen = { ...campaign.workload, ...site.workload };
  const { pathname, search } = new URL(site.url);
  return {
    method: 'GET',
    bodyBytes: 0,
    paths: [`${pathname}${search}`],
    mode: 'count',
    users: chosen.mode === 'rate' ? workloadLimits.users : 1,
    requests: 100,
    seconds: 10,
    requestsPerSecond: 0,
    arrivals: 'even',
    connections: 'user',
    shared: 1,
    earlyData: false,
    requestTimeoutMs: 30_000,
    ...chosen,
  };
}
