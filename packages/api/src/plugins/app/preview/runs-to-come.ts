// What the runs of a campaign of REST calls would send, and how long they take at least.
import { type RunsToCome, workloadOf } from '@pronghorn/core/schemas';
import { requestsOfRun, workloadWords } from '@pronghorn/core/text';
import type { CompleteCampaign } from '../campaigns/campaign-spec.ts';

/** @param visits in all, as many of each site. @returns null: of pages */
export function runsToCome({ spec, sites }: CompleteCampaign, visits: number): RunsToCome | null {
  const workloads = sites.flatMap((site) => workloadOf(spec, site) ?? []);
  if (workloads.length === 0) return null;
  const each = visits / workloads.length;
  const sum = (of: (workload: (typeof workloads)[number]) => number | null) =>
    workloads.map(of).reduce<number | null>((all, one) => (all === null || one === null ? null : all + each * one), 0);
  return {
    words: [...new Set(workloads.map(workloadWords))],
    requests: sum(requestsOfRun),
    sentBytes: sum((workload) => {
      const requests = requestsOfRun(workload);
      return requests === null ? null : requests * workload.bodyBytes;
    }),
    leastMs: sum(({ mode, seconds }) => (mode === 'count' ? 0 : seconds * 1_000)) ?? 0,
  };
}
