import { randomSource, shuffle } from '@pronghorn/core/math';
import type { CampaignSpec } from '@pronghorn/core/schemas';
import { cellsOf } from '@pronghorn/core/vocabulary';
import type { PlannedRound } from '../rounds/rounds-repository.ts';

/** What is measured together: a site under a condition in a view. */
export type Group = Pick<PlannedRound, 'siteId' | 'condition' | 'view'>;

/** @param siteIds in the order of the spec's sites. */
export function groupsOf(spec: Pick<CampaignSpec, 'conditions' | 'views'>, siteIds: readonly number[]): Group[] {
  return cellsOf({ ...spec, sites: siteIds.map((id) => ({ id })) });
}

/**
 * Rounds of these groups in the order in which they are leased, which the campaign's seed decides.
 *
 * Shuffled within replicates: first round 1 of every site, condition and view in random order, then round 2 of all, and so on. So
 * whatever changes with the time of day meets all groups alike, and a campaign that is interrupted has measured each of them
 * about equally often. Within a round the slots are visited in a random order of their own.
 *
 * @param numbers of the rounds: those beyond the first ones are planned when a campaign goes on until it is settled.
 */
export function planRounds(
  { seed, protocols }: Pick<CampaignSpec, 'seed' | 'protocols'>,
  groups: readonly Group[],
  { first, last }: { first: number; last: number },
): PlannedRound[] {
  const random = randomSource((seed + first - 1) % 2 ** 31);
  const slots = [...protocols.keys()];
  return Array.from({ length: last - first + 1 }, (_, index) =>
    shuffle(groups, random).map((group) => ({ ...group, number: first + index, order: shuffle(slots, random) })),
  ).flat();
}
