import { setImmediate } from 'node:timers/promises';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

declare module 'fastify' {
  interface FastifyInstance {
    campaignDeletion: CampaignDeletion;
  }
}

export interface CampaignDeletion {
  /**
   * From now on nobody finds the campaign; its rows and files go bit by bit, so that uploads need not wait for them.
   * @param along what is stored with it, wholly or not at all.
   * @throws ProblemError not-found; campaign-active while it has rounds to perform.
   */
  begin(id: string, along?: () => void): Promise<void>;
  /** Ends when all that was begun is gone, or the api is being closed. */
  settled(): Promise<void>;
}

/** Rows in one transaction: a few milliseconds. */
const atOnce = 40;

/** Deletes campaigns. What a process that died left half-done is ended at the next start. */
export default fp<{ now: () => number }>(
  async (app, { now }) => {
    let [running, closing] = [Promise.resolve(), false];

    async function remove(campaignId: number): Promise<void> {
      for (let ids = app.visits.someOf(campaignId, atOnce); ids.length > 0 && !closing; ids = app.visits.someOf(campaignId, atOnce)) {
        await app.write(() => app.visits.deleteAll(ids));
        await app.evidence.removeUnused();
        await setImmediate();
      }
      for (const owner of [app.linkChecks, app.discoveries, app.rounds]) {
        while (!closing && (await app.write(() => owner.deleteSome(campaignId, atOnce))) === atOnce) await setImmediate();
      }
      if (!closing) await app.write(() => app.campaigns.delete(campaignId));
      // Of several campaigns that are deleted one after the other, after the last.
      if (closing || app.campaigns.markedDeleted().length > 0) return;
      await app.retention.removeUnusedTexts(() => !closing);
      if (!closing) app.emptyWriteAheadLog();
    }
    const failed = (campaignId: number) => (error: Error) => {
      if (!closing)
        app.log.error({ err: error, campaignId }, 'a campaign could not be deleted wholly; it is tried again at the next start');
    };
    function removeNext(campaignId: number): void {
      app.results.forget(campaignId).catch(failed(campaignId)); // its thread may be busy: nobody waits for it
      running = running.then(() => (closing ? undefined : remove(campaignId))).catch(failed(campaignId));
    }

    function markDeleted(id: string): void {
      const { campaignId, state } = app.campaigns.known(id);
      if (state === 'queued' || state === 'running' || app.rounds.anyOpen(campaignId)) {
        const what = state === 'cancelled' ? 'is cancelled, and a round of it is still being performed' : `is ${state}`;
        const then = state === 'cancelled' ? 'Try again when it is over' : `Cancel it first: POST /api/v1/campaigns/${id}/cancel`;
        throw new ProblemError('campaign-active', `Campaign ${id} ${what}. ${then}.`);
      }
      app.campaigns.markDeleted(campaignId, new Date(now()).toISOString());
    }

    app.decorate('campaignDeletion', {
      async begin(id, along = () => {}) {
        await app.write(() => {
          markDeleted(id);
          along();
        });
        app.campaignChanges.announce(rowId(id)); // who follows it learns that it is gone
        removeNext(rowId(id));
      },
      settled: () => running,
    });
    app.addHook('onReady', async () => {
      for (const campaignId of app.campaigns.markedDeleted()) removeNext(campaignId);
      running = running.then(() => app.retention.removeUnusedTexts(() => !closing)); // what was cut off behind the last campaign
    });
    app.addHook('preClose', async () => {
      closing = true;
      await running;
    });
  },
  {
    name: 'campaign-deletion',
    dependencies: [
      'campaign-changes',
      'checkpoints',
      'retention',
      'evidence-store',
      ...['campaigns', 'visits', 'rounds', 'link-checks', 'discoveries'].map((noun) => `${noun}-repository`),
    ],
  },
);
