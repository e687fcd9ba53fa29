// What would become of a campaign: asked while somebody types, so that nothing is made and little is read twice.
import {
  type CampaignPreview,
  type CampaignRequest,
  type CampaignSpec,
  type ExpectedDuration,
  problemType,
  type RunsToCome,
  workloadOf,
} from '@pronghorn/core/schemas';
import { counted, requestsOfRun, workloadWords } from '@pronghorn/core/text';
import { looksOf } from '@pronghorn/core/verdict';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../shared/problems.ts';
import { needsOf, rankOf } from '../../../tables/queue-entries-repository.ts';
import type { RequestAccess } from '../access/access.ts';
import { type CompleteCampaign, completeSpec } from '../spec/campaign-spec.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** @param access of who would make it: what they may not ask for is among the problems. */
    preview(request: CampaignRequest, access: RequestAccess): Promise<CampaignPreview>;
  }
}

/** Somebody is typing: where names lead is told if it is known by then, and else checked when the campaign is made. */
const lookUpMs = 500;

export default fp(async (app) => {
  app.decorate('preview', async (request, access) => {
    const problems: CampaignPreview['problems'] = [];
    const tellOf = (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      const places = error.errors?.length ? error.errors : [{ pointer: '#', detail: error.message }];
      for (const place of places) problems.push({ ...place, type: problemType(error.kind) });
    };
    let complete: ReturnType<typeof completeSpec>;
    try {
      complete = completeSpec(request, 0, await app.store.conditions.all(), app.settings.calls);
    } catch (error) {
      tellOf(error);
      return { ...noPreview, problems };
    }
    const { spec, sites } = complete;
    const { location = null, priority = 'interactive' } = request;
    const [{ cycleMs, basis, detectable }, unchecked] = await Promise.all([
      app.results.foresee(complete, location),
      app.admission.preview(request, access, lookUpMs).catch((error: unknown) => {
        tellOf(error);
        return [];
      }),
    ]);
    const first = looksOf(spec, sites.length)?.[0]?.rounds ?? spec.rounds;
    const cells = sites.length * spec.conditions.length * spec.views.length;
    try {
      await app.store.queue.assertRoom(cells * first);
    } catch (error) {
      tellOf(error);
    }
    const place = await app.store.queue.estimate(needsOf(spec, location), rankOf(priority), cells * first);
    const most = Math.max(first, spec.maximumRounds ?? 0);
    const { seed: _drawn, ...chosen } = spec;
    return {
      spec: { ...(request.seed === undefined ? chosen : spec), sites },
      rounds: cells * first,
      maxRounds: cells * most,
      visits: cells * first * spec.protocols.length,
      runs: runsToCome(complete, cells * first * spec.protocols.length),
      problems,
      warnings: [...unchecked, ...warningsOf(spec, detectable)],
      duration: durationOf(),
      detectable,
    };

    function durationOf(): ExpectedDuration {
      const roundsMs = cycleMs === null ? null : cycleMs * first;
      const aheadMs = place.roundMs === null ? (place.roundsAhead === 0 ? 0 : null) : place.roundsAhead * place.roundMs;
      const isKnown = roundsMs !== null && aheadMs !== null && place.runnersAble > 0;
      return {
        roundsMs,
        maxRoundsMs: cycleMs === null ? null : cycleMs * most,
        aheadMs,
        runnersAble: place.runnersAble,
        doneAt: isKnown ? new Date(Math.round(app.now() + (roundsMs + aheadMs) / place.runnersAble)).toISOString() : null,
        why: isKnown ? null : (place.why ?? 'No round was completed yet, so nobody knows how long one takes.'),
        basis,
      };
    }
  });
});

/** Of what cannot be run. */
export const noPreview: CampaignPreview = {
  ...{ spec: null, rounds: null, maxRounds: null, visits: null, runs: null, problems: [], warnings: [], duration: null, detectable: null },
};

function warningsOf(spec: CampaignSpec, detectable: CampaignPreview['detectable']): CampaignPreview['warnings'] {
  if (detectable === null) return [];
  const { rounds, minRounds, comparisons } = detectable;
  if (rounds >= minRounds) return [];
  const among = comparisons === 1 ? '' : `, among ${comparisons} comparisons,`;
  const instead =
    comparisons === 1 ? `Ask for ${minRounds} or more.` : `Ask for ${minRounds} or more, or for fewer pages, conditions and views.`;
  const detail = `${counted(rounds, 'round')} can never name a winner${among} at 5 %: the verdict will be “inconclusive”. ${instead}`;
  return [{ pointer: spec.maximumRounds === null ? '#/rounds' : '#/maximumRounds', detail }];
}

/** @param visits in all, as many of each site. @returns null: of pages */
function runsToCome({ spec, sites }: CompleteCampaign, visits: number): RunsToCome | null {
  const workloads = sites.flatMap((site) => workloadOf(spec, site) ?? []);
  if (workloads.length === 0) return null;
  const each = visits / workloads.length;
  const sum = (of: (workload: (typeof workloads)[number]) => number | null) =>
    workloads.map(of).reduce<number | null>((all, one) => (all === null || one === null ? null : all + each * one), 0);
  return {
    words: [...new Set(workloads.map(workloadWords))],
    requests: sum(requestsOfRun),
    sentBytes: sum((workload) => {
      const requests = requestsOfRun(workload);
      return requests === null ? null : requests * workload.bodyBytes;
    }),
    minMs: sum(({ mode, seconds }) => (mode === 'count' ? 0 : seconds * 1_000)) ?? 0,
  };
}
