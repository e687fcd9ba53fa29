import { setImmediate } from 'node:timers/promises';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { rowId } from '../../../storage/page.ts';
import type { Caller } from '../../../store/caller.ts';

declare module 'fastify' {
  interface FastifyInstance {
    campaignDeletion: {
      /** Removes a campaign at once and for good. @throws as the command. */
      purge(id: string, caller: Caller): Promise<void>;
      /** Removes what was deleted long enough ago. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
      /** Ends when all that is to go by now is gone, or the api is being closed. */
      settled(): Promise<void>;
    };
  }
}

/** Rows in one transaction: a few milliseconds. */
const atOnce = 40;

/** Removes deleted campaigns bit by bit, so that uploads need not wait. What a process that died left half-done is ended at the next start. */
export default fp(async (app) => {
  const { campaigns } = app.store;
  let [running, closing] = [Promise.resolve(), false];
  const leaving = new Set<number>();

  async function remove(campaignId: number): Promise<void> {
    while (!closing && (await campaigns.removeVisits(campaignId, atOnce)) > 0) {
      await app.evidence.removeUnused();
      await setImmediate();
    }
    for (const kind of ['results', 'siteResults', 'linkChecks', 'discoveries', 'rounds'] as const) {
      while (!closing && (await campaigns.removeSome(campaignId, kind, atOnce)) === atOnce) await setImmediate();
    }
    if (!closing) await campaigns.remove(campaignId);
    leaving.delete(campaignId);
    // Of several campaigns that are deleted one after the other, after the last.
    if (closing || leaving.size > 0) return;
    await removeUnused();
    if (!closing) app.emptyWriteAheadLog();
  }
  /** What visits of deleted campaigns had in common with others. */
  async function removeUnused(): Promise<void> {
    while (!closing && (await campaigns.anyUnusedEnvironment())) {
      await campaigns.removeUnusedEnvironments(atOnce);
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

  async function tick(): Promise<void> {
    await campaigns.letGoDeleted();
    for (const campaignId of await campaigns.leaving()) removeNext(campaignId);
  }

  app.decorate('campaignDeletion', {
    async purge(id, caller) {
      await campaigns.purge(id, caller);
      removeNext(rowId(id));
    },
    tick,
    settled: () => running,
  });
  app.addHook('onReady', async () => {
    for (const campaignId of await campaigns.leaving()) removeNext(campaignId);
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
