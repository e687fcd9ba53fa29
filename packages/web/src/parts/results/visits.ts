// Filters, verdicts, pairs and CPU gauges of a list of visits. Pure.
import { median } from '@pronghorn/core/math';
import type { Visit } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { kindOf } from '../../text/vocabulary.ts';

export const verdictFilters = ['all', 'counted', 'not counted', 'failed', 'invalid'] as const;
export type VerdictFilter = (typeof verdictFilters)[number];

/** Keeps the order of the rounds within a cell. */
export function filteredVisits(
  visits: readonly Visit[],
  { protocol, verdict }: { protocol: '' | Protocol; verdict: VerdictFilter },
): Visit[] {
  return visits.filter((visit) => (protocol === '' || visit.protocol === protocol) && fits(visit, verdict));
}

function fits({ outcome, counted }: Visit, verdict: VerdictFilter): boolean {
  switch (verdict) {
    case 'all':
      return true;
    case 'counted':
      return counted;
    case 'not counted':
      return outcome.verdict === 'valid' && !counted;
    case 'failed':
      return outcome.verdict === 'invalid' && kindOf(outcome.reason) === 'failure';
    case 'invalid':
      return outcome.verdict === 'invalid';
  }
}

const uncounted = ', not counted: its round was not finished, or tried again';

/** For an invalid visit the reason; a chip before it shows the kind. */
export function verdictOfVisit({ outcome, counted, netlog }: Pick<Visit, 'outcome' | 'counted' | 'netlog'>): string {
  if (netlog !== undefined) return `${outcome.verdict === 'valid' ? 'valid' : outcome.reason}, not counted: an extra visit with a netlog`;
  if (outcome.verdict === 'valid') return `valid${counted ? '' : uncounted}`;
  return `${outcome.reason}${counted || kindOf(outcome.reason) !== 'failure' ? '' : uncounted}`;
}

/** At most two: a third replaces the earlier one; choosing a visit again removes it. */
export function chosenPair(chosen: readonly string[], id: string): string[] {
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id].slice(-2);
}

/** `gauges` is null where no counted visit has one. */
export type CpuSummary = { visits: number; gauges: { ownMedian: number; foreignMedian: number; foreignMost: number } | null; busy: number };

/** Gauges of counted visits; `busy`: visits that are invalid because other work took too much CPU. Null: no gauge and no busy visit. */
export function cpuSummary(visits: readonly Pick<Visit, 'cpu' | 'counted' | 'outcome' | 'netlog'>[]): CpuSummary | null {
  const gauges = visits.flatMap(({ cpu, counted }) => (counted && cpu !== null ? cpu : []));
  const busy = visits.filter(
    ({ outcome, netlog }) => netlog === undefined && outcome.verdict === 'invalid' && outcome.reason === 'busy-machine',
  ).length;
  if (gauges.length === 0 && busy === 0) return null;
  return {
    visits: gauges.length,
    gauges:
      gauges.length === 0
        ? null
        : {
            ownMedian: median(gauges.map(({ ownShare }) => ownShare)),
            foreignMedian: median(gauges.map(({ foreignShare }) => foreignShare)),
            foreignMost: Math.max(...gauges.map(({ foreignShare }) => foreignShare)),
          },
    busy,
  };
}
