import type { AcrossSites, CampaignAcross, SiteProvider } from '../../schemas/across.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import type { SiteDiscovery } from '../../schemas/discovery.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import type { ResultVisit } from '../results.ts';
import { cellsOf, type SiteGroup } from './cells.ts';
import { classCharacteristics } from './class-characteristics.ts';
import { deltaByProvider, deltaDistribution } from './delta-distribution.ts';
import { factorTests } from './factors.ts';
import { h3Shares } from './h3-shares.ts';
import { siteProvider, unknownProvider } from './provider.ts';

/**
 * What the sites of a campaign show together, for one metric: after Trevisan et al. 2021, figures 4, 5, 7, 8 and 9, and tests
 * of the factors.
 *
 * n log n in the number of visits; of a visit only the metric and seven characteristics of its page are kept.
 *
 * @param campaign groups are made for each of its conditions and views, without visits too.
 * @param visits as for `campaignResults`.
 * @param discoveries of its sites; of several of one site the latest counts that found a host. A site without any has an
 *   `unknown` provider.
 * @param metric default: the campaign's primary one.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function campaignAcross(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  discoveries: Iterable<SiteDiscovery>,
  metric: MetricName = campaign.spec.primaryMetric,
): CampaignAcross {
  const { cells, groups } = cellsOf(campaign, visits, metric);
  const providerOfSite = providersOf(discoveries);
  const byPlace = Map.groupBy(groups, ({ condition, view }) => `${condition} ${view}`);
  return {
    campaignId: campaign.id,
    metric,
    providers: campaign.sites.flatMap(({ id }) => providerOfSite.get(id) ?? []),
    groups: [...byPlace.values()].map((its) => acrossSites(its, providerOfSite)),
    factors: factorTests(cells),
  };
}

function providersOf(discoveries: Iterable<SiteDiscovery>): Map<string, SiteProvider> {
  const latest = new Map<string, { discoveredAt: string; provider: SiteProvider }>();
  for (const discovery of discoveries) {
    const { siteId, discoveredAt } = discovery;
    const known = latest.get(siteId);
    if (known && Date.parse(known.discoveredAt) >= Date.parse(discoveredAt)) continue;
    const provider = siteProvider(discovery);
    if (provider) latest.set(siteId, { discoveredAt, provider });
  }
  return new Map([...latest].map(([siteId, { provider }]) => [siteId, provider]));
}

/** @param groups of one condition and view, one for each site. */
function acrossSites(groups: readonly SiteGroup[], providerOfSite: ReadonlyMap<string, SiteProvider>): AcrossSites {
  const { condition, view } = groups[0] as SiteGroup;
  const provided = groups.map((group) => ({ ...group, provider: providerOfSite.get(group.siteId)?.provider ?? unknownProvider }));
  return {
    condition,
    view,
    delta: deltaDistribution(groups),
    deltaByProvider: providerOfSite.size === 0 ? [] : deltaByProvider(provided),
    byClass: classCharacteristics(groups),
    ...h3Shares(groups.map(({ characteristics }) => characteristics)),
  };
}
