import type { Lease, LeaseComplete, LeaseReclaim, LeaseRelease, LeaseRequest } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';
import type { ChooseOptions } from './queue-commands.ts';

declare module 'fastify' {
  interface FastifyInstance {
    queue: ReturnType<typeof createQueue>;
  }
}

/** What an operator may choose of the queue. */
export type QueueOptions = ChooseOptions & {
  /** Most rounds that may be queued and leased at once, of all campaigns. */
  maxOpenRounds: number;
  /** How long a runner that got nothing should wait before it asks again, whole seconds. */
  idleSeconds: number;
  /** Whether campaigns may refer to the environment and files of this machine, as those of a local command may. */
  localReferences: boolean;
};

/** After an hour in the queue, a schedule's campaign is as urgent as one that a person waits for. */
export const defaultQueueOptions: QueueOptions = {
  maxOpenRounds: 1_000_000,
  idleSeconds: 3,
  localReferences: false,
  agingMs: 30 * 60_000,
  turnMs: 30_000,
};

/**
 * The queue's commands with what has to follow some of them: a campaign that goes on until it is settled and has no round left, is done or gets
 * more rounds. What it needs takes long to find out; so it is decided beside the queue's transactions, and done in one of its own if the campaign is
 * still as it was. Until then it is running and has no open round; a process that dies leaves it so, and whoever looks next decides.
 */
function createQueue({ store, results, log, tables }: FastifyInstance) {
  async function decideOne(campaignId: number): Promise<void> {
    while (await store.queue.isUndecided(campaignId)) {
      const next = await results.roundsToAdd(campaignId);
      if (next === undefined) return; // it was deleted meanwhile
      await store.queue.goOn(campaignId, next);
    }
  }
  /** Never fails: whoever asks has stored its own change, or wants a round of any campaign. One that cannot be decided holds up no other. */
  async function decide(campaignIds: Iterable<number>): Promise<void> {
    for (const campaignId of new Set(campaignIds)) {
      try {
        await decideOne(campaignId);
      } catch (error) {
        log.error({ err: error, campaignId }, 'what a campaign needs next could not be decided; it is tried again');
      }
    }
  }
  /** @returns whether there were any. */
  async function decideAll(): Promise<boolean> {
    const undecided = await store.queue.undecided();
    await decide(undecided);
    return undecided.length > 0;
  }

  return {
    idleSeconds: tables.settings.queue.idleSeconds,

    /** @param isGone whether who asked no longer waits: checked before a round is leased that others had to be decided for. */
    async lease(request: LeaseRequest, tokenId: number | null = null, isGone = () => false): Promise<Lease | null> {
      const leased = await store.queue.lease(request, tokenId);
      // Whoever got a round need not wait for what others will get.
      if (leased !== null || !(await decideAll()) || isGone()) return leased;
      return store.queue.lease(request, tokenId);
    },

    async complete(leaseId: string, given: LeaseComplete = {}): Promise<void> {
      await decide([await store.queue.complete(leaseId, given)]);
    },

    async release(leaseId: string, given: LeaseRelease): Promise<void> {
      const campaignId = await store.queue.release(leaseId, given);
      if (campaignId !== null) await decide([campaignId]);
    },

    /** @returns how many leases were lost. */
    async reclaim(given: LeaseReclaim, tokenId?: number): Promise<number> {
      const campaignIds = await store.queue.reclaim(given, tokenId);
      await decide(campaignIds);
      return campaignIds.length;
    },

    async resume(id: string, caller: Caller): Promise<void> {
      await store.campaigns.resume(id, caller);
      await decide([rowId(id)]);
    },

    decide,
    /** Decides what a process that died left undecided. */
    async decideLeft(): Promise<void> {
      await decideAll();
    },
  };
}

export default fp(async (app) => {
  const queue = createQueue(app);
  app.decorate('queue', queue);
  // What a process that died, or a lease that ran out, left undecided while every runner has something to do.
  runLoop(app, { name: 'queue', tick: queue.decideLeft });
});
