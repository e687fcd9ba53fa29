// What a campaign that goes on until it is settled needs next. It answers the campaign's question, which takes a quarter of a second for a
// large one: so it reads alone, and is asked beside the queue's transactions.
import { answerQuestion, measure } from '@pronghorn/core/campaign';
import { isSettled, looksOf } from '@pronghorn/core/verdict';
import { cellKey } from '@pronghorn/core/vocabulary';
import type { Database } from '../../../storage/database.ts';
import { createCampaignsRepository } from '../campaigns/campaigns-repository.ts';
import { planRounds } from '../campaigns/plan-rounds.ts';
import { createLinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import { createResultStamps } from '../results/results-version.ts';
import { createRoundsRepository, type PlannedRound } from '../rounds/rounds-repository.ts';
import { createVisitsRepository } from '../visits/visits-repository.ts';

/** Rounds up to the next look, for each group that is not settled; none: the campaign is done. */
export type RoundsToAdd = {
  /** Of the results that this was decided by: rounds are added while the campaign still has it. */
  stamp: string;
  rounds: PlannedRound[];
};

/** @returns asks at one moment; undefined where there is no such campaign. */
export function createRoundsToAdd(
  database: Database,
  visits: Pick<ReturnType<typeof createVisitsRepository>, 'ofMetric'> = createVisitsRepository(database),
): (campaignId: number) => RoundsToAdd | undefined {
  const campaigns = createCampaignsRepository(database);
  const linkChecks = createLinkChecksRepository(database);
  const rounds = createRoundsRepository(database);
  const stampOf = createResultStamps(database);

  function plan(campaignId: number): RoundsToAdd | undefined {
    const [campaign, stamp] = [campaigns.findSpec(campaignId), stampOf(campaignId)];
    if (!campaign || stamp === undefined) return undefined;
    const { spec, sites } = campaign;
    const looks = looksOf(spec, sites.length);
    if (looks === null) return { stamp, rounds: [] };
    // Only what decides: the question alone, of the one metric, and no more of the bootstrap than it must have.
    const groups = answerQuestion(
      measure({ id: String(campaignId), spec, sites }, visits.ofMetric(campaignId, spec.primaryMetric), linkChecks.ofResults(campaignId)),
      { complete: true, mayGrow: true, resamples: 100 },
    );
    const planned = new Map(rounds.lastPlanned(campaignId).map((known) => [cellKey(known), known]));
    const open = [...groups].flatMap(({ siteId, condition, view, slots, comparison }) => {
      const known = planned.get(cellKey({ siteId, condition, view }));
      const next = known && looks.find((look) => look.rounds > known.last);
      if (known === undefined || next === undefined || known.givenUp === 1) return [];
      const counts = slots.map(({ counted }) => ({ valid: counted.valid }));
      if (isSettled({ comparisons: comparison ? [comparison] : [], slots: counts })) return [];
      return [{ group: { siteId: known.siteId, condition, view }, first: known.last + 1, last: next.rounds }];
    });
    const batches = [...Map.groupBy(open, ({ first }) => first).values()];
    return {
      stamp,
      rounds: batches.flatMap((batch) => {
        const { first = 1, last = 0 } = batch[0] ?? {};
        const batchGroups = batch.map(({ group }) => group);
        return planRounds(spec, batchGroups, { first, last });
      }),
    };
  }
  const atOneMoment = database.transaction((campaignId: number) => plan(campaignId));
  return (campaignId) => atOneMoment.deferred(campaignId);
}
