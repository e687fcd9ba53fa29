// How long a campaign's rounds will take and how small a difference they will show, from how others went. It takes a while on a large
// database: a thread does it.
import { setupKey } from '@pronghorn/core/campaign';
import { conditionKey } from '@pronghorn/core/network';
import type { CampaignSpec, DetectableDifference } from '@pronghorn/core/schemas';
import { detectableDifference, type RoundErrors, roundErrors } from '@pronghorn/core/verdict';
import { cellKey } from '@pronghorn/core/vocabulary';
import type { Database } from '../../../storage/database.ts';
import type { CompleteCampaign } from '../campaigns/campaign-spec.ts';
import { type ExpectedRounds, expectedRounds } from './expected-rounds.ts';
import {
  createFormerRoundsRepository,
  type FormerCampaign,
  type FormerRoundsRepository,
  type PairedRound,
  type TimedRound,
} from './former-rounds-repository.ts';
import { remembered } from './remembered.ts';

export type Foresight = ExpectedRounds & { detectable: DetectableDifference | null };

/** So many rounds of all campaigns tell how long one takes now, of those that were performed in the same way. */
const [latestRounds, latestLooked] = [500, 2_000];
/** More campaigns of a page would tell of last month. */
const newestCampaigns = 5;

/** @returns tells of a campaign that is not made; what it read of former ones is kept for the next letter that somebody types. */
export function createForesight(database: Database): (campaign: CompleteCampaign, location: string | null) => Foresight {
  const former = createFormerRoundsRepository(database);
  const timed = remembered<TimedRound[]>(20);
  const paired = remembered<PairedRound[]>(20);

  return ({ spec, sites }, location) => {
    const setup = setupKey({ spec, sites, location });
    const siteIds = former.siteIds(sites);
    const campaigns = former.campaignsOf(siteIds.filter((id) => id !== null));
    const inTheSameWay = campaigns.filter((campaign) => campaign.setup === setup).slice(0, newestCampaigns);
    const timesOf = (some: readonly FormerCampaign[]) =>
      some.flatMap(({ id, visitsValid }) => timed(`${id} ${visitsValid}`, () => former.timed(id)));
    const latest = former.latest(latestLooked);
    const rounds = {
      ofSites: timesOf(inTheSameWay),
      latest: latest.filter((round) => round.setup === setup).slice(0, latestRounds),
    };
    const isKnown = rounds.ofSites.length + rounds.latest.length > 0;
    const inAnyWay = () => ({ ofSites: timesOf(campaigns.slice(0, newestCampaigns)), latest: latest.slice(0, latestRounds) });
    return {
      ...expectedRounds({ ...spec, sites }, siteIds, isKnown ? { ...rounds, isOtherSetup: false } : { ...inAnyWay(), isOtherSetup: true }),
      detectable: detectableDifference(spec, sites.length, seenOf(spec, siteIds, inTheSameWay, paired, former)),
    };
  };
}

/** How rounds of these sites under these conditions differed, in the newest campaign that says so. */
function seenOf(
  { primaryMetric, conditions, views, protocols }: CampaignSpec,
  siteIds: readonly (number | null)[],
  campaigns: readonly FormerCampaign[],
  paired: ReturnType<typeof remembered<PairedRound[]>>,
  former: FormerRoundsRepository,
): RoundErrors[] {
  if (!protocols.includes('h2') || !protocols.includes('h3')) return [];
  const known = siteIds.filter((siteId) => siteId !== null);
  const wanted = new Set(
    conditions
      .map(conditionKey)
      .flatMap((condition) => known.flatMap((siteId) => views.map((view) => cellKey({ siteId, condition, view })))),
  );
  const found: RoundErrors[] = [];
  for (const { id, visitsValid } of campaigns) {
    const rounds = paired(`${id} ${primaryMetric} ${visitsValid}`, () => former.paired(id, primaryMetric));
    for (const [key, group] of Map.groupBy(rounds, cellKey)) {
      if (!wanted.has(key)) continue;
      const errors = roundErrors(group.map(({ h2, h3 }) => Math.log(h3 / h2)));
      if (errors === null) continue;
      wanted.delete(key);
      found.push(errors);
    }
  }
  return found;
}
