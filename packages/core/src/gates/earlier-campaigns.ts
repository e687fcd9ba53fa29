// Which campaigns a new one is held against, and what they measured.
import type { Campaign, CampaignSpec, Site } from '../schemas/campaign.ts';
import type { GateResult } from '../schemas/gate-answer.ts';
import { lossWords } from './gate-doubts.ts';
import type { GateQuestionAt } from './gate-places.ts';
import { groupKey, type Measurements, measuredGroups, valuesOf } from './measured-campaign.ts';

/** Whether two campaigns measured in one way, so that what differs between them is the page. */
export function comparableSetup(one: Pick<Campaign, 'spec' | 'location'>, other: Pick<Campaign, 'spec' | 'location'>): boolean {
  const [a, b] = [one.spec, other.spec];
  return (
    a.engine === b.engine &&
    a.discovery === b.discovery &&
    a.isolation === b.isolation &&
    a.browser === b.browser &&
    one.location === other.location
  );
}

/** Of each question about a baseline, the values of each earlier campaign that has them in order; newest first. */
export function valuesBefore(
  questions: readonly GateQuestionAt[],
  campaign: Measurements['campaign'],
  baselines: Iterable<Measurements>,
): { before: number[][][]; used: NonNullable<GateResult['baseline']>['campaigns'] } {
  const before = questions.map((): number[][] => []);
  const used: NonNullable<GateResult['baseline']>['campaigns'] = [];
  for (const earlier of baselines) {
    const groups = measuredGroups(earlier);
    let isUsed = false;
    for (const [i, { assertion, site, condition, view, protocol }] of questions.entries()) {
      if (assertion.kind !== 'baseline' || !sameCondition(condition, campaign.spec, earlier.campaign.spec)) continue;
      const siteId = sameSite(site, earlier.campaign.sites);
      const group = siteId === undefined ? undefined : groups.get(groupKey({ siteId, condition, view }));
      if (group === undefined || group.linkDoubt !== null) continue;
      const values = valuesOf(group.side(protocol, assertion.metric));
      if (values.length === 0 || lossWords(group, assertion.metric, protocol, values.length) !== null) continue;
      before[i]?.push(values);
      isUsed = true;
    }
    const { id, createdAt, annotations } = earlier.campaign;
    if (isUsed) used.push({ campaignId: id, createdAt, commit: annotations.commit ?? null });
  }
  return { before, used };
}

/** The same page, or one of the same name: a preview of a change has another address than what it is a change of. */
export function sameSite({ url, name, expectStatus }: Site, sites: readonly Site[]): string | undefined {
  const alike = sites.filter((site) => site.expectStatus === expectStatus);
  return (alike.find((site) => site.url === url) ?? alike.find((site) => site.name === name))?.id;
}

/** A stored condition may have become another one under its name. */
export function sameCondition(name: string, one: CampaignSpec, other: CampaignSpec): boolean {
  const found = [one, other].map(({ conditions }) => conditions.find((condition) => condition.name === name));
  return found[0] !== undefined && found[1] !== undefined && sortedJson(found[0]) === sortedJson(found[1]);
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, nested: unknown) =>
    nested !== null && typeof nested === 'object' && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
