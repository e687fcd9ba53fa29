// What becomes of a campaign's evidence when it is over and keeps only some: what its policy does without is told, and removed.
import { markOutliers } from '@pronghorn/core/math';
import type { MetricName } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { hasEnded } from '../campaigns/campaigns-repository.ts';
import { runLoop } from '../loop.ts';
import { ranks } from './evidence-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Settled when files and index were brought together since the start, and each campaign that ended by now keeps what it is to keep. */
    evidenceSettled(): Promise<void>;
  }
}

/** How long what is kept on demand waits for somebody to ask for it, after the last of it came. */
export const onDemandMs = 86_400_000;
/** Of one transaction. */
const atOnce = 200;

type Parts = Pick<FastifyInstance, 'now' | 'clock' | 'evidence' | 'campaigns' | 'rounds' | 'visits'>;

/**
 * Does for a campaign what its policy says of evidence, if it is over; once more does no harm.
 *
 * - outliers: valid visits are kept whose value of the primary metric is marked by `markOutliers` among the counted visits of their site, condition, view
 *   and slot; of groups of fewer than five, which mark none, all are. Others go at once.
 * - on-demand: valid visits go a day after the last evidence came, unless they are pinned.
 */
export async function settleEvidence({ now, clock, evidence, campaigns, rounds, visits }: Parts, campaignId: number): Promise<void> {
  const { index, alone, removeUnused } = evidence.parts;
  if (![ranks.valid, ranks.dispensable].some((rank) => index.campaignAfter(rank, campaignId - 1) === campaignId)) return;
  const { policy, state, primaryMetric } = campaigns.evidencePolicyOf(campaignId) ?? {};
  if (!hasEnded(state) || rounds.anyOpen(campaignId)) return;
  if ((policy !== 'outliers' && policy !== 'on-demand') || primaryMetric === undefined) return;

  const kept = policy === 'outliers' ? outliersOf(visits, campaignId, primaryMetric) : new Set<number>();
  const judge = () => {
    const some = index.ofRank(ranks.valid, campaignId, atOnce);
    for (const { visitSeq } of some) index.setRank(visitSeq, kept.has(visitSeq) ? ranks.invalid : ranks.dispensable);
    return some.length > 0;
  };
  while (await alone(judge)) await removeUnused();
  if (policy === 'on-demand' && (clock.doubt() !== null || (index.lastStored(ranks.dispensable, campaignId) ?? 0) + onDemandMs > now()))
    return;
  const remove = () => {
    const some = index.ofRank(ranks.dispensable, campaignId, atOnce);
    for (const place of some) index.markGone('policy', place);
    return some.length > 0;
  };
  while (await alone(remove)) await removeUnused();
}

/** Seqs of the visits that are outliers, and of those among too few to tell. */
function outliersOf(visits: Parts['visits'], campaignId: number, metric: MetricName): Set<number> {
  const groups = Map.groupBy(visits.countedValues(campaignId, metric), ({ group }) => group);
  return new Set(
    [...groups.values()].flatMap((group) => {
      const { fences, outliers } = markOutliers(group.map(({ value }) => value));
      return (fences === null ? group : outliers.flatMap(({ index }) => group[index] ?? [])).map(({ seq }) => seq);
    }),
  );
}

/** All campaigns whose evidence has yet to be settled. */
export async function settleAllEvidence(parts: Parts, signal: AbortSignal, which = [ranks.valid, ranks.dispensable]): Promise<void> {
  const { index } = parts.evidence.parts;
  for (const rank of which) {
    let campaignId = index.campaignAfter(rank, 0);
    for (; campaignId !== undefined && !signal.aborted; campaignId = index.campaignAfter(rank, campaignId)) {
      await settleEvidence(parts, campaignId);
    }
  }
}

/** At the start, brings files and index together; then settles what campaigns are to keep, as they end and as days pass. */
export default fp(async (app) => {
  const { evidence, campaigns, log } = app;
  const stop = new AbortController();
  const ended = new Set<number>();
  const started = Promise.withResolvers<void>();
  let isMended = false;

  async function settleEnded(): Promise<void> {
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
  app.campaignChanges.listenToAll((campaignId) => {
    if (!hasEnded(campaigns.stateOf(campaignId))) return;
    ended.add(campaignId);
    wake();
  });
});
