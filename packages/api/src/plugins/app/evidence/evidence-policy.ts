// What becomes of a campaign's evidence when it is over and keeps only some: what its policy does without is told, and removed.
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { ranks } from '../../../tables/evidence-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Settled when files and index were brought together since the start, and each campaign that ended by now keeps what it is to keep. */
    evidenceSettled(): Promise<void>;
  }
}

type Parts = Pick<FastifyInstance, 'store' | 'evidence'>;

/** Does for a campaign what its policy says of evidence, if it is over (see `keptByPolicy`); once more does no harm. */
export async function settleEvidence({ store, evidence }: Parts, campaignId: number): Promise<void> {
  const kept = (await store.evidence.isSettleable(campaignId)) ? await store.evidence.keptByPolicy(campaignId) : null;
  if (kept === null) return;
  while (await store.evidence.judge(campaignId, kept)) await setImmediate();
  while (await store.evidence.letGoDispensable(campaignId)) await evidence.removeUnused();
}

/** All campaigns whose evidence has yet to be settled. */
export async function settleAllEvidence(parts: Parts, signal: AbortSignal, which = [ranks.valid, ranks.dispensable]): Promise<void> {
  const { campaignAfter } = parts.store.evidence;
  for (const rank of which) {
    let campaignId = await campaignAfter(rank, 0);
    for (; campaignId !== undefined && !signal.aborted; campaignId = await campaignAfter(rank, campaignId)) {
      await settleEvidence(parts, campaignId);
    }
  }
}

/** At the start, brings files and index together; then settles what campaigns are to keep, as they end and as days pass. */
export default fp(async (app) => {
  const { evidence, store, log } = app;
  const stop = new AbortController();
  const ended = new Set<number>();
  const started = Promise.withResolvers<void>();
  let [isMended, looked] = [false, Promise.resolve()];

  async function settleEnded(): Promise<void> {
    await looked;
    for (const campaignId of ended) {
      ended.delete(campaignId);
      await settleEvidence(app, campaignId);
    }
  }
  async function tick(): Promise<void> {
    await settleEnded();
    if (!isMended) {
      const mended = await evidence.mend(stop.signal);
      isMended = true;
      const count = Object.values(mended).reduce((sum, files) => sum + files, 0);
      if (count > 0)
        log.warn({ event: 'evidence-mended', ...mended }, 'Files of evidence and their index did not agree, and were brought together.');
      await settleAllEvidence(app, stop.signal);
      started.resolve();
    }
    await settleAllEvidence(app, stop.signal, [ranks.dispensable]);
  }

  app.decorate('evidenceSettled', async () => {
    await started.promise;
    await settleEnded();
  });
  app.addHook('preClose', async () => stop.abort());
  const wake = runLoop(app, { name: 'evidence', tick });
  app.addHook('preClose', settleEnded); // who measured alone ends with its campaign
  async function look(campaignId: number): Promise<void> {
    if (!(await store.evidence.isSettleable(campaignId))) return;
    ended.add(campaignId);
    wake();
  }
  app.campaignChanges.listenToAll((campaignId) => {
    looked = looked
      .then(() => look(campaignId))
      .catch((error) => log.error({ err: error, campaignId }, 'the evidence of a campaign is settled at the next start'));
  });
});
