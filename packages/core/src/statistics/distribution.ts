import type { Campaign } from '../schemas/campaign.ts';
import type { CampaignDistributions, Distribution } from '../schemas/distribution.ts';
import type { MetricName } from '../schemas/metrics.ts';
import type { View } from '../schemas/vocabulary.ts';
import { ecdf } from './ecdf.ts';
import { findModes } from './modes.ts';
import { markOutliers } from './outliers.ts';
import type { ResultVisit } from './results.ts';
import { boxOf, summarise } from './summary.ts';
import { violin } from './violin.ts';

/**
 * How a sample spreads, in the unit of its values.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function distributionOf(sample: readonly number[]): Distribution {
  return {
    n: sample.length,
    box: boxOf(summarise(sample)),
    ecdf: ecdf(sample),
    violin: violin(sample),
    modes: findModes(sample),
    outliers: markOutliers(sample).outliers.map(({ index, side }) => ({ value: sample[index] as number, side })),
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
  const samples = new Map<string, number[][]>();
  for (const visit of visits) {
    const value = visit.verdict === 'valid' ? visit.metrics[metric] : null;
    if (value === null || !isWanted(visit)) continue;
    const slots = samples.get(keyOf(visit)) ?? protocols.map(() => []);
    samples.set(keyOf(visit), slots);
    slots[visit.slot]?.push(value);
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
        const sample = samples.get(keyOf(group))?.[slot] ?? [];
        return { slot, protocol, distribution: sample.length === 0 ? null : distributionOf(sample) };
      }),
    })),
  };
}
