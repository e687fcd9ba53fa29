// Reads what a gate needs of a campaign and of those before it, and checks it. Done by the thread that computes results.
import { assertionsOf, checkGate, gateDefaults, type Measurements, setupKey } from '@pronghorn/core/campaign';
import type { Campaign, GateResult, GateRules } from '@pronghorn/core/schemas';
import type { CampaignsRepository } from '../../../tables/campaigns-repository.ts';
import type { DiscoveriesRepository } from '../../../tables/discoveries-repository.ts';
import type { LinkChecksRepository } from '../../../tables/link-checks-repository.ts';
import type { VisitsRepository } from '../../../tables/visits-repository.ts';

type Parts = {
  campaigns: CampaignsRepository;
  visits: VisitsRepository;
  linkChecks: LinkChecksRepository;
  discoveries: DiscoveriesRepository;
};

/** @returns null where there is no such campaign. @throws RangeError as `checkGate`. */
export function checkCampaign(
  { campaigns, visits, linkChecks, discoveries }: Parts,
  campaignId: number,
  rules: GateRules,
): GateResult | null {
  const campaign = campaigns.find(String(campaignId));
  if (!campaign) return null;
  const asked = assertionsOf(rules);

  const measured = (one: Campaign, assertions: typeof asked): Measurements => {
    const id = Number(one.id);
    const [metric, ...others] = new Set(assertions.map(({ metric }) => (metric === 'failedShare' ? 'onLoad' : metric)));
    // One metric alone is read several times as fast.
    const read = metric === undefined || others.length > 0 ? visits.ofResults(id) : visits.ofMetric(id, metric);
    return { campaign: one, visits: read, linkChecks: linkChecks.ofResults(id), discoveries: discoveries.facts(id) };
  };

  /** Of `auto`, whether the sites that both have were visited in the same way. */
  const sameIsolation = (one: Campaign, earlier: Campaign): boolean =>
    one.spec.isolation !== 'auto' ||
    one.sites.every(({ id }) => {
      const [its, others] = [one, earlier].map((campaign) => visits.isolationOf(Number(campaign.id), Number(id)));
      return its === null || others === null || its === others;
    });

  const isAlike = (one: Campaign, other: Campaign): boolean => setupKey(one) === setupKey(other) && sameIsolation(one, other);
  const relations = asked.filter(({ kind }) => kind === 'baseline');

  /** That it repeats, or that came before it by the same schedule: null where that is not done, or was measured in another way. */
  function otherRunOf(one: Campaign): Campaign | null {
    const id = one.annotations.repeats ?? campaigns.runBefore(campaignId);
    const other = id === undefined || relations.length === 0 ? undefined : campaigns.find(String(id));
    return other !== undefined && other.id !== one.id && other.state === 'done' && isAlike(one, other) ? other : null;
  }

  const reference = rules.baseline?.campaign === undefined ? undefined : campaigns.find(rules.baseline.campaign);
  const branch = rules.baseline?.branch ?? reference?.annotations.branch ?? gateDefaults.branch;

  /** Newest first, one at a time: each is let go before the next is read. */
  function* before(one: Campaign, otherRun: Campaign | null): Generator<Measurements> {
    if (relations.length === 0) return;
    const { campaigns: most = gateDefaults.campaigns, only = gateDefaults.only } = rules.baseline ?? {};
    let found = 0;
    for (const id of campaigns.doneBefore(campaignId, branch, { only, newest: reference === undefined ? null : Number(reference.id) })) {
      const earlier = campaigns.find(String(id));
      if (earlier?.state !== 'done' || earlier.id === otherRun?.id || !isAlike(one, earlier)) continue;
      yield measured(earlier, relations);
      found += 1;
      if (found === most) return;
    }
  }

  const otherRun = otherRunOf(campaign);
  return checkGate(
    { ...rules, baseline: { ...rules.baseline, branch } },
    measured(campaign, asked),
    before(campaign, otherRun),
    otherRun && measured(otherRun, relations),
  );
}
