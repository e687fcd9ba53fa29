// The earlier campaign that a campaign is compared with when nobody names another one.
import type { Campaign } from '../../schemas/campaign.ts';
import { sameCondition } from '../gate/baseline-evidence.ts';
import { setupKey } from './setup-key.ts';

type Compared = Pick<Campaign, 'location' | 'sites' | 'spec'>;

/**
 * The newest of the earlier campaigns that is most alike: first by its pages, then by how it is performed (`setupKey`), then by its conditions.
 * Undefined if none shares a page and a condition.
 *
 * @param earlier newest first; read only until one is alike in everything.
 */
export function previousCampaign<C extends Compared>(
  campaign: Compared,
  earlier: Iterable<C>,
): { campaign: C; isSameSetup: boolean } | undefined {
  const setup = setupKey(campaign);
  let best: { campaign: C; isSameSetup: boolean; likeness: number } | undefined;
  for (const one of earlier) {
    if (!sharesAny(campaign, one)) continue;
    const isSameSetup = setupKey(one) === setup;
    const likeness = (pagesOf(one) === pagesOf(campaign) ? 4 : 0) + (isSameSetup ? 2 : 0) + (hasConditionsOf(campaign, one) ? 1 : 0);
    if (best === undefined || likeness > best.likeness) best = { campaign: one, isSameSetup, likeness };
    if (likeness === 7) break;
  }
  return best && { campaign: best.campaign, isSameSetup: best.isSameSetup };
}

const keyOf = ({ url, expectStatus }: Campaign['sites'][number]) => `${expectStatus} ${url}`;
const pagesOf = ({ sites }: Compared): string => JSON.stringify(sites.map(keyOf).sort());

function sharesAny(campaign: Compared, other: Compared): boolean {
  const theirs = new Set(other.sites.map(keyOf));
  return (
    campaign.sites.some((site) => theirs.has(keyOf(site))) &&
    campaign.spec.conditions.some(({ name }) => sameCondition(name, campaign.spec, other.spec))
  );
}

const hasConditionsOf = (campaign: Compared, other: Compared): boolean =>
  campaign.spec.conditions.every(({ name }) => sameCondition(name, campaign.spec, other.spec));
