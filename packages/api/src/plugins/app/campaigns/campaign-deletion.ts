import { setImmediate } from 'node:timers/promises';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import { runLoop } from '../loop.ts';

declare module 'fastify' {
  interface FastifyInstance {
    campaignDeletion: {
      /**
       * From now on nobody finds the campaign. For a week it can be restored; then its rows and files go.
       * @param along what is stored with it, wholly or not at all.
       * @throws ProblemError not-found; campaign-active while it has rounds to perform.
       */
      begin(id: string, along?: () => void): Promise<void>;
      /** The same at once and for good, also of one that is deleted already. */
      purge(id: string, along?: () => void): Promise<void>;
      /** Takes a deletion back. @throws ProblemError not-found: there is none that could be taken back. */
      restore(id: string, along?: () => void): Promise<void>;
      /** Removes what was deleted long enough ago. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
      /** Ends when all that is to go by now is gone, or the api is being closed. */
      settled(): Promise<void>;
    };
  }
}

/** For so long a deletion can be taken back. */
export const restorableMs = 7 * 86_400_000;
/** Rows in one transaction: a few milliseconds. */
const atOnce = 40;

/** Deletes campaigns: bit by bit, so that uploads need not wait. What a process that died left half-done is ended at the next start. */
export default fp(async (app) => {
  const { now, campaigns, clock } = app;
  let [running, closing] = [Promise.resolve(), false];
  const leaving = new Set<number>();

  async function remove(campaignId: number): Promise<void> {
    for (let ids = app.visits.someOf(campaignId, atOnce); ids.length > 0 && !closing; ids = app.visits.someOf(campaignId, atOnce)) {
      await app.write(() => app.visits.deleteAll(ids));
      await app.evidence.removeUnused();
      await setImmediate();
    }
    for (const owner of [app.results, app.linkChecks, app.discoveries, app.rounds]) {
      while (!closing && (await app.write(() => owner.deleteSome(campaignId, atOnce))) === atOnce) await setImmediate();
    }
    if (!closing) await app.write(() => campaigns.delete(campaignId));
    leaving.delete(campaignId);
    // Of several campaigns that are deleted one after the other, after the last.
    if (closing || leaving.size > 0) return;
    await removeUnused();
    if (!closing) app.emptyWriteAheadLog();
  }
  /** What visits of deleted campaigns had in common with others. */
  async function removeUnused(): Promise<void> {
    while (!closing && app.environments.anyUnused()) {
      await app.write(() => app.environments.deleteUnused(atOnce));
      await setImmediate();
    }
    await app.retention.removeUnusedTexts(() => !closing);
  }
  const failed = (campaignId: number) => (error: Error) => {
    leaving.delete(campaignId);
    if (!closing) app.log.error({ err: error, campaignId }, 'a campaign could not be deleted wholly; it is tried again');
  };
  function removeNext(campaignId: number): void {
    if (leaving.has(campaignId)) return;
    leaving.add(campaignId);
    running = running.then(() => (closing ? undefined : remove(campaignId))).catch(failed(campaignId));
  }

  /** @throws ProblemError campaign-active. */
  function assertEnded(id: string): number {
    const { campaignId, state } = campaigns.known(id);
    if (state !== 'queued' && state !== 'running' && !app.rounds.anyOpen(campaignId)) return campaignId;
    const what = state === 'cancelled' ? 'is cancelled, and a round of it is still being performed' : `is ${state}`;
    const then = state === 'cancelled' ? 'Try again when it is over' : `Cancel it first: POST /api/v1/campaigns/${id}/cancel`;
    throw new ProblemError('campaign-active', `Campaign ${id} ${what}. ${then}.`);
  }

  async function tick(): Promise<void> {
    // By a clock that is wrong nothing is too old.
    const due = clock.doubt() === null ? campaigns.deletedBefore(new Date(now() - restorableMs).toISOString()) : [];
    if (due.length > 0) await app.write(() => due.forEach(campaigns.markLeaving));
    campaigns.leaving().forEach(removeNext);
  }

  app.decorate('campaignDeletion', {
    async begin(id, along = () => {}) {
      await app.write(() => {
        campaigns.markDeleted(assertEnded(id), new Date(now()).toISOString());
        along();
      });
      app.campaignChanges.announce(rowId(id)); // who follows it learns that it is gone
    },
    async purge(id, along = () => {}) {
      await app.write(() => {
        campaigns.markLeaving(campaigns.isDeleted(rowId(id)) ? rowId(id) : assertEnded(id));
        along();
      });
      app.campaignChanges.announce(rowId(id));
      removeNext(rowId(id));
    },
    async restore(id, along = () => {}) {
      await app.write(() => {
        if (!campaigns.restore(rowId(id), new Date(now() - restorableMs).toISOString())) {
          throw new ProblemError(
            'not-found',
            `There is no campaign ${id} that was deleted within the last ${restorableMs / 86_400_000} days.`,
          );
        }
        along();
      });
      app.campaignChanges.announce(rowId(id));
    },
    tick,
    settled: () => running,
  });
  app.addHook('onReady', async () => {
    campaigns.leaving().forEach(removeNext);
    // What was cut off behind the last campaign.
    running = running
      .then(removeUnused)
      .catch((error) => app.log.error({ err: error }, 'what deleted campaigns left could not be removed; the next start tries again'));
  });
  app.addHook('preClose', async () => {
    closing = true;
  });
  runLoop(app, { name: 'deletion', tick });
  app.addHook('preClose', () => running);
});
