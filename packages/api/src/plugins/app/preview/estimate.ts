// How long a campaign's rounds will take and how small a difference they will show, from how others went. It takes a while on a large
// database: a thread does it.
import { setupKey } from '@pronghorn/core/campaign';
import { median } from '@pronghorn/core/math';
import { conditionKey } from '@pronghorn/core/network';
import type { CampaignSpec, DetectableDifference } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { detectableDifference, type RoundErrors, roundErrors } from '@pronghorn/core/verdict';
import { cellKey, type View } from '@pronghorn/core/vocabulary';
import { remembered } from '../../../shared/remembered.ts';
import type { Database } from '../../../storage/database.ts';
import {
  createFormerRoundsRepository,
  type FormerCampaign,
  type FormerRoundsRepository,
  type PairedRound,
  type TimedRound,
} from '../../../tables/former-rounds-repository.ts';
import type { CompleteCampaign } from '../spec/campaign-spec.ts';

export type Estimate = ExpectedRounds & { detectable: DetectableDifference | null };

/** So many rounds of all campaigns tell how long one takes now, of those that were performed in the same way. */
const [latestRounds, latestLooked] = [500, 2_000];
/** More campaigns of a page would tell of last month. */
const newestCampaigns = 5;

/** @returns tells of a campaign that is not made; what it read of former ones is kept for the next letter that somebody types. */
export function createEstimate(database: Database): (campaign: CompleteCampaign, location: string | null) => Estimate {
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

type ExpectedRounds = {
  /** One round of each site, condition and view; null: no round was performed yet. */
  cycleMs: number | null;
  /** On what it rests, in words; null: on nothing. */
  basis: string | null;
};

/**
 * A round takes as long as those most like it did on average, since a campaign's time is their sum: retries and new checks of the link
 * are part of it. Most like it are those of the same page, condition and view; of the page and view; of the condition and view; of the
 * view; of all. Rounds of more protocols take longer in proportion.
 *
 * @param siteIds of the spec's sites; null and missing: never measured.
 * @param former.ofSites rounds of campaigns that have these sites. @param former.latest rounds of all, the newest.
 * @param former.isOtherSetup whether these were performed in another way, or from another place, than the spec's: then the answer is a guess, and says so.
 */
export function expectedRounds(
  { sites, conditions, views, protocols }: Pick<CampaignSpec, 'conditions' | 'views' | 'protocols'> & { sites: readonly unknown[] },
  siteIds: readonly (number | null)[],
  { ofSites, latest, isOtherSetup }: { ofSites: readonly TimedRound[]; latest: readonly TimedRound[]; isOtherSetup: boolean },
): ExpectedRounds {
  const all = [...ofSites, ...latest];
  if (all.length === 0) return { cycleMs: null, basis: null };
  const likeness = [
    usualTimes(ofSites, cellKey),
    usualTimes(ofSites, ({ siteId, view }) => `${siteId} ${view}`),
    usualTimes(all, ({ condition, view }) => `${condition} ${view}`),
    usualTimes(all, ({ view }) => view),
    usualTimes(all, () => ''),
  ];
  const used = likeness.map(() => 0);
  let slotsMs = 0;
  const conditionKeys = conditions.map(conditionKey); // once: a preview may be of 1,000 sites
  for (const place of sites.keys()) {
    for (const condition of conditionKeys) {
      for (const view of views) {
        const keys = keysOf(siteIds[place] ?? null, condition, view);
        const found = keys.findIndex((key, level) => key !== null && likeness[level]?.has(key));
        slotsMs += likeness[found]?.get(keys[found] ?? '') ?? 0;
        used[found] = (used[found] ?? 0) + 1;
      }
    }
  }
  return {
    cycleMs: slotsMs * protocols.length,
    basis: isOtherSetup
      ? otherSetupWords(ofSites.length > 0 ? ofSites.length : latest.length)
      : basisOf(used, ofSites.length, latest.length),
  };
}

const keysOf = (siteId: number | null, condition: string, view: View): (string | null)[] => [
  siteId === null ? null : cellKey({ siteId, condition, view }),
  siteId === null ? null : `${siteId} ${view}`,
  `${condition} ${view}`,
  view,
  '',
];

/** A round that took longer than so many usual ones was held up by something else, such as a machine that slept. */
const maxOfUsual = 10;

/** The mean by key, of rounds that are held up no more than so much. */
function usualTimes(rounds: readonly TimedRound[], keyOf: (round: TimedRound) => string): Map<string, number> {
  const groups = Map.groupBy(rounds, keyOf);
  return new Map(
    [...groups].map(([key, group]) => {
      const times = group.map(({ slotMs }) => slotMs);
      const most = maxOfUsual * median(times);
      return [key, times.reduce((sum, ms) => sum + Math.min(ms, most), 0) / times.length];
    }),
  );
}

const earlier = (rounds: number) => counted(rounds, 'earlier round');

const otherSetupWords = (rounds: number) =>
  `A guess from ${earlier(rounds)} from another location, or with another engine, browser, isolation or way to find HTTP/3: these rounds may be quicker or slower.`;

function basisOf([same = 0, samePage = 0, ...others]: readonly number[], ofSites: number, latest: number): string {
  const count = others.reduce((sum, group) => sum + group, 0);
  const total = same + samePage + count;
  if (count === 0 && samePage === 0) return `From ${earlier(ofSites)} of these pages under these conditions.`;
  if (count === 0 && same > 0) return `From ${earlier(ofSites)} of these pages, some under other conditions.`;
  if (count === 0) return `A guess from ${earlier(ofSites)} of these pages under other conditions, which may be quicker or slower.`;
  if (count === total) {
    return `A guess from the latest ${latest === 1 ? 'round' : counted(latest, 'round')} of other pages, which may be quicker or slower.`;
  }
  const unknown = count === 1 ? 'was not measured before and is' : 'were not measured before and are';
  return `From ${earlier(ofSites)} of these pages; ${count} of ${total} pages, conditions and views ${unknown} taken to be like other pages.`;
}
