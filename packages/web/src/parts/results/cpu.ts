// How calm the machines were during the visits. Pure.
import type { Visit } from '@pronghorn/core/schemas';
import { medianOf } from '../../text/median.ts';

/** `gauges` is null where no visit that counts has one. */
export type CpuSummary = { visits: number; gauges: { ownMedian: number; foreignMedian: number; foreignMost: number } | null; busy: number };

/** Of the visits that count; `busy`: those that don't since other work took too much. Null where no visit has a gauge and none was invalid for that. */
export function cpuSummary(visits: readonly Pick<Visit, 'cpu' | 'counted' | 'outcome' | 'netlog'>[]): CpuSummary | null {
  const gauges = visits.flatMap(({ cpu, counted }) => (counted && cpu !== null ? cpu : []));
  const busy = visits.filter(
    ({ outcome, netlog }) => netlog === undefined && outcome.verdict === 'invalid' && outcome.reason === 'busy-machine',
  ).length;
  if (gauges.length === 0 && busy === 0) return null;
  const most = (found: number, { foreignShare }: { foreignShare: number }) => Math.max(found, foreignShare);
  return {
    visits: gauges.length,
    gauges:
      gauges.length === 0
        ? null
        : {
            ownMedian: medianOf(gauges.map(({ ownShare }) => ownShare)) ?? 0,
            foreignMedian: medianOf(gauges.map(({ foreignShare }) => foreignShare)) ?? 0,
            foreignMost: gauges.reduce(most, 0),
          },
    busy,
  };
}
