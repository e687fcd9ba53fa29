// What a campaign that goes on until it is settled needs next. It answers the campaign's question, which takes a quarter of a second for a
// large one: so it reads alone, and is asked beside the queue's transactions.
import { createHash } from 'node:crypto';
import { answerQuestion, measure } from '@pronghorn/core/campaign';
import { randomSource, shuffle } from '@pronghorn/core/math';
import type { CampaignSpec } from '@pronghorn/core/schemas';
import { isSettled, looksOf } from '@pronghorn/core/verdict';
import { type Cell, cellKey } from '@pronghorn/core/vocabulary';
import type { Database } from '../../../storage/database.ts';
import { createCampaignsRepository } from '../../../tables/campaigns-repository.ts';
import { createLinkChecksRepository } from '../../../tables/link-checks-repository.ts';
import { createRoundsRepository, type PlannedRound } from '../../../tables/rounds-repository.ts';
import { createVisitsRepository } from '../../../tables/visits-repository.ts';

/** Rounds up to the next look, for each cell that is not settled; none: the campaign is done. */
export type NextRounds = {
  /** Of the results that this was decided by: rounds are added while the campaign still has it. */
  stamp: string;
  rounds: PlannedRound[];
};

/** @returns asks at one moment; undefined where there is no such campaign. */
export function createNextRounds(
  database: Database,
  visits: Pick<ReturnType<typeof createVisitsRepository>, 'ofMetric'> = createVisitsRepository(database),
): (campaignId: number) => NextRounds | undefined {
  const campaigns = createCampaignsRepository(database);
  const linkChecks = createLinkChecksRepository(database);
  const rounds = createRoundsRepository(database);

  function plan(campaignId: number): NextRounds | undefined {
    const [campaign, stamp] = [campaigns.findSpec(campaignId), campaigns.stampOf(campaignId)];
    if (!campaign || stamp === undefined) return undefined;
    const { spec, sites } = campaign;
    const looks = looksOf(spec, sites.length);
    if (looks === null) return { stamp, rounds: [] };
    // Only what decides: the question alone, of the one metric, and no more of the bootstrap than it must have.
    const answers = answerQuestion(
      measure({ id: String(campaignId), spec, sites }, visits.ofMetric(campaignId, spec.primaryMetric), linkChecks.ofResults(campaignId)),
      { complete: true, mayGrow: true, resamples: 100 },
    );
    const siteIds = sites.map(({ id }) => Number(id));
    const planned = new Map(rounds.lastPlanned(campaignId).map((known) => [cellKey(known), known]));
    const open = [...answers].flatMap(({ siteId, condition, view, slots, comparison }) => {
      const known = planned.get(cellKey({ siteId, condition, view }));
      const next = known && looks.find((look) => look.rounds > known.last);
      if (known === undefined || next === undefined || known.givenUp === 1) return [];
      const counts = slots.map(({ counted }) => ({ valid: counted.valid }));
      if (isSettled({ comparisons: comparison ? [comparison] : [], slots: counts })) return [];
      return [{ cell: { siteId: known.siteId, condition, view }, first: known.last + 1, last: next.rounds }];
    });
    const batches = [...Map.groupBy(open, ({ first }) => first).values()];
    return {
      stamp,
      rounds: batches.flatMap((batch) => {
        const { first = 1, last = 0 } = batch[0] ?? {};
        const batchCells = batch.map(({ cell }) => cell);
        return planRounds(spec, siteIds, batchCells, { first, last });
      }),
    };
  }
  const atOneMoment = database.transaction((campaignId: number) => plan(campaignId));
  return (campaignId) => atOneMoment.deferred(campaignId);
}

/**
 * Rounds of these cells in the order in which they are leased, which the campaign's seed decides.
 *
 * Shuffled within replicates: first round 1 of every site, condition and view in random order, then round 2 of all, and so on. So
 * whatever changes with the time of day meets all cells alike, and a campaign that is interrupted has measured each of them
 * about equally often. Within a round the slots are visited in a random order of their own: see `orderOf`.
 *
 * @param siteIds of the whole campaign, in its order
 * @param numbers of the rounds: those beyond the first ones are planned when a campaign goes on until it is settled.
 */
export function planRounds(
  spec: Pick<CampaignSpec, 'seed' | 'protocols'>,
  siteIds: readonly number[],
  cells: readonly Cell<number>[],
  { first, last }: { first: number; last: number },
): PlannedRound[] {
  const random = randomSource((spec.seed + first - 1) % 2 ** 31);
  return Array.from({ length: last - first + 1 }, (_, index) =>
    shuffle(cells, random).map((cell) => {
      const number = first + index;
      return { ...cell, number, order: orderOf(spec, { ...cell, siteId: siteIds.indexOf(cell.siteId) }, number) };
    }),
  ).flat();
}

/**
 * The order of the slots in a round. Of as many rounds as there are slots, each slot comes first in one: what the first visit of a round pays, such as
 * for a cold cache at the server's edge, every protocol pays equally often (permuted blocks, as of clinical trials). All else is random, and
 * independent from block to block and from cell to cell. It does not depend on which rounds are planned together.
 */
function orderOf({ seed, protocols }: Pick<CampaignSpec, 'seed' | 'protocols'>, cell: Cell<number>, number: number): number[] {
  const slots = [...protocols.keys()];
  const block = Math.floor((number - 1) / slots.length);
  const random = randomSource(
    createHash('sha256')
      .update(`${seed} ${block} ${cellKey(cell)}`)
      .digest()
      .readUInt32LE(),
  );
  const orders = shuffle(slots, random).map((leader) => [
    leader,
    ...shuffle(
      slots.filter((slot) => slot !== leader),
      random,
    ),
  ]);
  return orders[(number - 1) % slots.length] as number[];
}
