// What two campaigns both measured, place by place, and what each of them was set up with.

import type { Environment } from '../../schemas/environment.ts';
import type { ResultLinkCheck } from '../../verdict/link-doubt.ts';
import { sameCondition, sameSite } from '../gate/earlier-campaigns.ts';
import { groupKey, type MeasuredGroup, type Measurements, measuredGroups } from '../gate/measured-campaign.ts';

/** One of the two, with what its visits ran in. */
export type ComparedCampaign = Measurements & { environments: readonly Environment[] };

type Measured = ReturnType<typeof measured>;

/** The link checks are gone through once: for the doubts and, on the way, the kinds of links. */
export function measured({ environments, ...measurements }: ComparedCampaign) {
  const backends = new Set<string>();
  function* noted(checks: Iterable<ResultLinkCheck>): Generator<ResultLinkCheck> {
    for (const check of checks) {
      if (check.counted && check.faults.length === 0) backends.add(check.backend);
      yield check;
    }
  }
  const groups = measuredGroups({ ...measurements, linkChecks: noted(measurements.linkChecks) });
  const [first] = groups.values();
  return { campaign: measurements.campaign, environments, backends, groups, planned: first?.planned ?? measurements.campaign.spec.rounds };
}

/** Of the campaign and of the baseline. */
export type Groups = readonly [MeasuredGroup, MeasuredGroup];

/** Where both measured the same, in the order of the campaign. */
export function placesOf(one: Measured, other: Measured) {
  const [mine, theirs] = [one.campaign.spec, other.campaign.spec];
  const protocols = [...new Set(mine.protocols)].filter((protocol) => theirs.protocols.includes(protocol));
  const conditions = mine.conditions.map(({ name }) => name).filter((name) => sameCondition(name, mine, theirs));
  const views = mine.views.filter((view) => theirs.views.includes(view));
  const isLead = protocols.includes('h3') && protocols.includes('h2');
  return one.campaign.sites.flatMap((site) => {
    const baselineSiteId = sameSite(site, other.campaign.sites);
    if (baselineSiteId === undefined) return [];
    return conditions.flatMap((condition) =>
      views.map((view) => {
        const groups: Groups = [
          one.groups.get(groupKey({ siteId: site.id, condition, view })) as MeasuredGroup,
          other.groups.get(groupKey({ siteId: baselineSiteId, condition, view })) as MeasuredGroup,
        ];
        return { site, baselineSiteId, condition, view, protocols, isLead, groups };
      }),
    );
  });
}
