import { type CampaignGroup, gatherGroups } from '../campaign/campaign-groups.ts';
import { looksOf, type ResultVisit } from '../campaign/results.ts';
import type { Campaign } from '../schemas/campaign.ts';
import type { Comparison } from '../schemas/comparison.ts';
import { compareGroups } from './group-comparisons.ts';
import { linkDoubt, type ResultLinkCheck } from './link-doubt.ts';

export type AnsweredGroup = CampaignGroup & {
  /** Null where the campaign doesn't compare h3 with h2. */
  comparison: Comparison | null;
};

/**
 * Of `campaignResults` the campaign's question alone: h3 against h2 on its primary metric, for each site, condition and view. About a
 * tenth of the work. Verdicts and their correction are the same.
 *
 * What tells each quantile is left out (`byQuantile` is null).
 *
 * @param visits as for `campaignResults`; of their metrics the primary one is enough.
 * @param options.mayGrow that more rounds may be planned by what is answered.
 * @param options.resamples of the bootstrap of H3-Delta, on which no verdict depends.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function* answerQuestion(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  linkChecks: Iterable<ResultLinkCheck>,
  { complete, mayGrow = false, resamples }: { complete: boolean; mayGrow?: boolean; resamples?: number },
): Generator<AnsweredGroup> {
  const { engine, primaryMetric, margin, adjustment, seed, conditions } = campaign.spec;
  const groups = gatherGroups(campaign, visits);
  const checksOf = Map.groupBy(linkChecks, ({ condition }) => condition);
  const doubtOf = new Map(conditions.map(({ name }) => [name, linkDoubt(checksOf.get(name) ?? [])]));
  const looks = looksOf(campaign.spec, campaign.sites.length);
  const comparisons = compareGroups(
    groups.map((group) => ({ ...group, linkDoubt: doubtOf.get(group.condition) ?? null })),
    { engine, primaryMetric, margin, adjustment, seed, looks, complete, mayGrow, only: 'confirmatory', ...(resamples && { resamples }) },
  );
  let place = 0;
  for (const [comparison = null] of comparisons) yield { ...(groups[place++] as CampaignGroup), comparison };
}
