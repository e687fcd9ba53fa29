import { type CampaignSpec, randomSource, shuffle } from '@pronghorn/core';
import type { PlannedRound } from '../rounds/rounds-repository.ts';

/**
 * The rounds of a campaign in the order in which they are leased, which its seed decides.
 *
 * Shuffled within replicates: first round 1 of every site, condition and view in random order, then round 2 of all, and so on. So
 * whatever changes with the time of day meets all groups alike, and a campaign that is interrupted has measured each of them
 * about equally often. Within a round the slots are visited in a random order of their own.
 *
 * @param siteIds in the order of the spec's sites.
 */
export function planRounds(
  spec: Pick<CampaignSpec, 'seed' | 'rounds' | 'conditions' | 'views' | 'protocols'>,
  siteIds: readonly number[],
): PlannedRound[] {
  const random = randomSource(spec.seed);
  const groups = siteIds.flatMap((siteId) =>
    spec.conditions.flatMap(({ name: condition }) => spec.views.map((view) => ({ siteId, condition, view }))),
  );
  const slots = [...spec.protocols.keys()];
  return Array.from({ length: spec.rounds }, (_, index) =>
    shuffle(groups, random).map((group) => ({ ...group, number: index + 1, order: shuffle(slots, random) })),
  ).flat();
}
