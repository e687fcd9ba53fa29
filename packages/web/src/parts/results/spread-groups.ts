// The visits of the shown groups as a SpreadPlot takes them. Pure.
import type { CampaignDistributions, GroupResults, MetricName, Visit } from '@pronghorn/core/schemas';
import type { SpreadGroup, SpreadPoint } from '../../charts/spread/rows.ts';
import { metricOf } from '../../text/vocabulary.ts';
import { keyOf, namedSlots } from './groups.ts';

/** @param distributions of the metric; undefined while they are read. */
export function spreadGroups(
  groups: readonly GroupResults[],
  visits: ReadonlyMap<string, readonly Visit[]>,
  metric: MetricName,
  distributions: CampaignDistributions | undefined,
  noteOf: (condition: string) => string,
): SpreadGroup[] {
  const known = new Map(distributions?.metric === metric ? distributions.groups.map((group) => [keyOf(group), group.slots]) : []);
  return groups.map((group) => {
    const its = visits.get(keyOf(group)) ?? [];
    return {
      label: group.condition,
      note: noteOf(group.condition),
      slots: namedSlots(group).map(({ slot, protocol, name }) => ({
        protocol,
        name,
        values: its.flatMap((visit) => (visit.slot === slot ? pointOf(visit, metric) : [])),
        distribution: known.get(keyOf(group))?.find((one) => one.slot === slot)?.distribution ?? null,
      })),
    };
  });
}

/** Nothing where it does not count, or has no number. */
function pointOf({ id, counted, outcome, roundNumber }: Visit, metric: MetricName): SpreadPoint[] {
  const value = counted && outcome.verdict === 'valid' ? metricOf(outcome.metrics, metric) : null;
  return value === null ? [] : [{ value, visitId: id, round: roundNumber }];
}
