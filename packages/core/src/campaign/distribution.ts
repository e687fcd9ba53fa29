import { ecdf } from '../math/ecdf.ts';
import { markOutliers } from '../math/outliers.ts';
import { violin } from '../math/violin.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { CampaignDistributions, Distribution } from '../schemas/distribution.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { atLeastMsOf } from '../verdict/at-least.ts';
import { sampleOf, valueOfVisit } from '../verdict/counted-visits.ts';
import { findModes } from '../verdict/modes.ts';
import { boxOf, finiteOf, summariseLoads } from '../verdict/summary.ts';
import type { View } from '../vocabulary/cell.ts';
import type { ResultVisit } from './results.ts';

/**
 * How a sample spreads, in the unit of its values. Density, modes and outliers are of the loads that have a time.
 * @param sample +∞ for a load that failed. @param atLeastMs what such a load would have taken at least.
 * @throws RangeError on an empty sample and on NaN.
 */
export function distributionOf(sample: readonly number[], atLeastMs: number | null = null): Distribution {
  const summary = summariseLoads(sample, atLeastMs);
  const finite = finiteOf(sample);
  const some = finite.length > 0;
  return {
    n: sample.length,
    censored: summary.censored,
    box: boxOf(summary),
    ecdf: ecdf(sample),
    violin: some ? violin(finite) : null,
    modes: some ? findModes(finite) : null,
    outliers: some ? markOutliers(finite).outliers.map(({ index, side }) => ({ value: finite[index] as number, side })) : [],
  };
}

/** Which groups; undefined: all. */
export type GroupFilter = { siteId?: string; condition?: string; view?: View };

/**
 * The distributions of one metric in a campaign, slot by slot.
 *
 * @param visits as for `campaignResults`.
 */
export function campaignDistributions(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  metric: MetricName,
  filter: GroupFilter = {},
): CampaignDistributions {
  const { conditions, views, protocols } = campaign.spec;
  const isWanted = (group: Required<GroupFilter>) =>
    (['siteId', 'condition', 'view'] as const).every((key) => filter[key] === undefined || filter[key] === group[key]);
  const keyOf = ({ siteId, condition, view }: Required<GroupFilter>) => `${siteId} ${condition} ${view}`;
  const values = new Map<string, number[][]>();
  for (const visit of visits) {
    if (!isWanted(visit)) continue;
    const slots = values.get(keyOf(visit)) ?? protocols.map(() => []);
    values.set(keyOf(visit), slots);
    slots[visit.slot]?.push(valueOfVisit(visit, metric));
  }
  const groups = campaign.sites
    .flatMap(({ id: siteId }) => conditions.flatMap(({ name: condition }) => views.map((view) => ({ siteId, condition, view }))))
    .filter(isWanted);
  return {
    campaignId: campaign.id,
    metric,
    groups: groups.map((group) => ({
      ...group,
      slots: protocols.map((protocol, slot) => {
        const sample = sampleOf(values.get(keyOf(group))?.[slot] ?? []);
        return { slot, protocol, distribution: sample.length === 0 ? null : distributionOf(sample, atLeastMsOf(campaign.spec)) };
      }),
    })),
  };
}
