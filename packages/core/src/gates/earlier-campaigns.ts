// Which campaigns a new one is held against, and what they measured.
import { conditionKey } from '../conditions/condition-key.ts';
import type { CampaignSpec, Site } from '../schemas/campaign.ts';
import type { GateResult } from '../schemas/gate-answer.ts';
import { lossWords } from './gate-doubts.ts';
import type { GateQuestionAt } from './gate-places.ts';
import { groupKey, type Measurements, measuredGroups, valuesOf } from './measured-campaign.ts';

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

/** Whether both have a condition of this name, with the same numbers. */
export function sameCondition(name: string, one: CampaignSpec, other: CampaignSpec): boolean {
  const [a, b] = [one, other].map(({ conditions }) => conditions.find((condition) => condition.name === name));
  return a !== undefined && b !== undefined && conditionKey(a) === conditionKey(b);
}
