// How long rounds will take, from how long others took.
import { median } from '@pronghorn/core/math';
import { conditionKey } from '@pronghorn/core/network';
import type { CampaignSpec } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { cellKey, type View } from '@pronghorn/core/vocabulary';
import type { TimedRound } from './former-rounds-repository.ts';

export type ExpectedRounds = {
  /** One round of each site, condition and view; null: no round was performed yet. */
  cycleMs: number | null;
  /** On what it rests, in words; null: on nothing. */
  basis: string | null;
};

/**
 * A round takes as long as the median of those most like it: of the same page, condition and view; of the page and view; of
 * the condition and view; of the view; of all. Rounds of more protocols take longer in proportion.
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
    medians(ofSites, cellKey),
    medians(ofSites, ({ siteId, view }) => `${siteId} ${view}`),
    medians(all, ({ condition, view }) => `${condition} ${view}`),
    medians(all, ({ view }) => view),
    medians(all, () => ''),
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

function medians(rounds: readonly TimedRound[], keyOf: (round: TimedRound) => string): Map<string, number> {
  const groups = Map.groupBy(rounds, keyOf);
  return new Map([...groups].map(([key, group]) => [key, median(group.map(({ slotMs }) => slotMs))]));
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
