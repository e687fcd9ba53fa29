// Which campaigns a new one is held against, and what they measured.
import { conditionKey } from '../../network/condition-key.ts';
import type { CampaignSpec, Site } from '../../schemas/campaign.ts';
import type { GateResult } from '../../schemas/gate-answer.ts';
import { medianLost } from '../../verdict/parity.ts';
import { lossWords, unmeasuredDoubt } from './gate-doubts.ts';
import type { GateQuestionAt } from './gate-places.ts';
import { groupKey, type Measurements, measuredGroups, valuesOf } from './measured-campaign.ts';

/** What an earlier run of the same page gave. */
export interface EarlierValues {
  values: number[];
  /** Objects that its median visit lacked. */
  lost: number;
}

/** Of each question about a baseline, by its place, what each earlier campaign has of it; newest first. */
export function valuesBefore(
  questions: readonly GateQuestionAt[],
  campaign: Measurements['campaign'],
  baselines: Iterable<Measurements>,
): { before: (EarlierValues | undefined)[][]; used: NonNullable<GateResult['baseline']>['campaigns'] } {
  const before = questions.map((): (EarlierValues | undefined)[] => []);
  const used: NonNullable<GateResult['baseline']>['campaigns'] = [];
  for (const earlier of baselines) {
    const found = valuesIn(questions, campaign, earlier);
    if (found.every((one) => one === undefined)) continue;
    for (const [i, one] of found.entries()) before[i]?.push(one);
    const { id, createdAt, annotations } = earlier.campaign;
    used.push({ campaignId: id, createdAt, commit: annotations.commit ?? null });
  }
  return { before, used };
}

/** Of each question about a baseline what another campaign has of it; undefined: nothing, or nothing fit. */
export function valuesIn(
  questions: readonly GateQuestionAt[],
  campaign: Measurements['campaign'],
  earlier: Measurements,
): (EarlierValues | undefined)[] {
  const groups = measuredGroups(earlier);
  return questions.map(({ assertion, site, condition, view, protocol }) => {
    if (assertion.kind !== 'baseline' || !sameCondition(condition, campaign.spec, earlier.campaign.spec)) return undefined;
    const siteId = sameSite(site, earlier.campaign.sites);
    const group = siteId === undefined ? undefined : groups.get(groupKey({ siteId, condition, view }));
    if (group === undefined || group.linkDoubt !== null || unmeasuredDoubt(group, protocol) !== null) return undefined;
    const values = valuesOf(group.side(protocol, assertion.metric));
    if (values.length === 0 || lossWords(group, assertion.metric, protocol, values.length) !== null) return undefined;
    return { values, lost: medianLost(group, group.rounds.places, protocol) };
  });
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
