// After the last round of a campaign that goes on until it is settled: what it needs next is decided beside the queue's transactions, and
// done in one of its own, if the campaign is still as it was. Until then it is running and has no open round; a process that dies
// leaves it so, and whoever looks next decides.
import type { FastifyBaseLogger } from 'fastify';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import type { Results } from '../results/results.ts';
import type { RoundTransitions } from './round-transitions.ts';

type Parts = {
  campaigns: Pick<CampaignsRepository, 'undecided' | 'isUndecided'>;
  results: Pick<Results, 'roundsToAdd'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};

export type Settling = ReturnType<typeof createSettling>;

/** @param transact runs work wholly or not at all. */
export function createSettling(
  { campaigns, results, log }: Parts,
  { goOn }: Pick<RoundTransitions, 'goOn'>,
  transact: <T>(work: (touched: Set<number>) => T) => Promise<T>,
) {
  async function decideOne(campaignId: number): Promise<void> {
    while (campaigns.isUndecided(campaignId)) {
      const next = await results.roundsToAdd(campaignId);
      if (next === undefined) return; // it was deleted meanwhile
      await transact((touched) => {
        if (goOn(campaignId, next)) touched.add(campaignId);
      });
    }
  }
  async function decide(campaignIds: Iterable<number>): Promise<void> {
    for (const campaignId of campaignIds) {
      try {
        await decideOne(campaignId);
      } catch (error) {
        log.error({ err: error, campaignId }, 'what a campaign needs next could not be decided; it is tried again');
      }
    }
  }
  return {
    /**
     * Adds rounds to those of these campaigns that have none left and need more; the others of them are done. Never fails: whoever asks
     * has stored its own change, or wants a round of any campaign. One that cannot be decided holds up no other.
     */
    decide,
    /** The same for all campaigns. @returns whether there were any. */
    async decideAll(): Promise<boolean> {
      const undecided = campaigns.undecided();
      await decide(undecided);
      return undecided.length > 0;
    },
  };
}
