// What would become of a campaign: asked while somebody types, so that nothing is made and little is read twice.
import {
  type CampaignPreview,
  type CampaignRequest,
  type CampaignSpec,
  detectableDifference,
  type ExpectedDuration,
  looksOf,
  needsShaping,
  problemType,
  type RoundErrors,
  roundErrors,
} from '@pronghorn/core';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import type { RequestAccess } from '../access/access.ts';
import { completeSpec } from '../campaigns/campaign-spec.ts';
import { rankOf } from '../queue/queue-entries-repository.ts';
import { expectedRounds } from './expected-rounds.ts';
import {
  createFormerRoundsRepository,
  type FormerRoundsRepository,
  type PairedRound,
  type TimedRound,
} from './former-rounds-repository.ts';
import { remembered } from './remembered.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** @param access of who would make it: what they may not ask for is among the problems. */
    preview(request: CampaignRequest, access: RequestAccess): Promise<CampaignPreview>;
  }
}

/** So many rounds tell how long one takes now; as the queue has it. */
const latestRounds = 500;

export default fp<{ now: () => number }>(
  async (app, { now }) => {
    const former = createFormerRoundsRepository(app.database);
    const timed = remembered<TimedRound[]>(20);
    const paired = remembered<PairedRound[]>(20);

    app.decorate('preview', async (request, access) => {
      const problems: CampaignPreview['problems'] = [];
      const tellOf = (error: unknown) => {
        if (!(error instanceof ProblemError)) throw error;
        const places = error.errors?.length ? error.errors : [{ pointer: '#', detail: error.message }];
        for (const place of places) problems.push({ ...place, type: problemType(error.kind) });
      };
      let complete: ReturnType<typeof completeSpec>;
      try {
        complete = completeSpec(request, 0, app.conditions.all());
      } catch (error) {
        tellOf(error);
        return { ...noPreview, problems };
      }
      const { spec, sites } = complete;
      await app.admission.admit(request, access).catch(tellOf);
      const first = looksOf(spec, spec.sites.length)?.[0]?.rounds ?? spec.rounds;
      const groups = spec.sites.length * spec.conditions.length * spec.views.length;
      try {
        app.queue.assertRoom(groups * first);
      } catch (error) {
        tellOf(error);
      }
      const siteIds = former.siteIds(sites);
      const campaigns = former.campaignsOf(siteIds.filter((id) => id !== null));
      const detectable = detectableDifference(spec, spec.sites.length, seenOf(spec, siteIds, campaigns, paired, former));
      const most = Math.max(first, spec.maximumRounds ?? 0);
      const { seed: _drawn, ...chosen } = spec;
      return {
        spec: request.seed === undefined ? chosen : spec,
        rounds: groups * first,
        mostRounds: groups * most,
        visits: groups * first * spec.protocols.length,
        problems,
        warnings: warningsOf(spec, detectable),
        duration: await durationOf(),
        detectable,
      };

      async function durationOf(): Promise<ExpectedDuration> {
        const ofSites = campaigns.flatMap(({ id, visitsValid }) => timed(`${id} ${visitsValid}`, () => former.timed(id)));
        const { cycleMs, basis } = expectedRounds(spec, siteIds, { ofSites, latest: former.latest(latestRounds) });
        const { location = null, priority = 'interactive' } = request;
        const needs = { location, shapes: spec.conditions.some(needsShaping), engine: spec.engine, browser: spec.browser };
        const place = await app.queue.foresee(needs, rankOf(priority), groups * first);
        const roundsMs = cycleMs === null ? null : cycleMs * first;
        const aheadMs = place.roundMs === null ? (place.roundsAhead === 0 ? 0 : null) : place.roundsAhead * place.roundMs;
        const isKnown = roundsMs !== null && aheadMs !== null && place.runnersAble > 0;
        return {
          roundsMs,
          mostRoundsMs: cycleMs === null ? null : cycleMs * most,
          aheadMs,
          runnersAble: place.runnersAble,
          doneAt: isKnown ? new Date(Math.round(now() + (roundsMs + aheadMs) / place.runnersAble)).toISOString() : null,
          why: isKnown ? null : (place.why ?? 'No round was completed yet, so nobody knows how long one takes.'),
          basis,
        };
      }
    });
  },
  { name: 'preview', dependencies: ['sqlite', 'conditions-repository', 'admission', 'queue'] },
);

/** Of what cannot be run. */
export const noPreview: CampaignPreview = {
  ...{ spec: null, rounds: null, mostRounds: null, visits: null, problems: [], warnings: [], duration: null, detectable: null },
};

/** How rounds of these sites under conditions of these names differed, in the newest campaign that says so. */
function seenOf(
  { primaryMetric, conditions, views, protocols }: CampaignSpec,
  siteIds: readonly (number | null)[],
  campaigns: readonly { id: number; visitsValid: number }[],
  paired: ReturnType<typeof remembered<PairedRound[]>>,
  former: FormerRoundsRepository,
): RoundErrors[] {
  if (!protocols.includes('h2') || !protocols.includes('h3')) return [];
  const keyOf = ({ siteId, condition, view }: Pick<PairedRound, 'siteId' | 'condition' | 'view'>) => `${siteId} ${condition} ${view}`;
  const wanted = new Set(
    siteIds.flatMap((siteId) =>
      siteId === null ? [] : conditions.flatMap(({ name }) => views.map((view) => keyOf({ siteId, condition: name, view }))),
    ),
  );
  const found: RoundErrors[] = [];
  for (const { id, visitsValid } of campaigns) {
    const rounds = paired(`${id} ${primaryMetric} ${visitsValid}`, () => former.paired(id, primaryMetric));
    for (const [key, group] of Map.groupBy(rounds, keyOf)) {
      if (!wanted.has(key)) continue;
      const errors = roundErrors(group.map(({ h2, h3 }) => Math.log(h3 / h2)));
      if (errors === null) continue;
      wanted.delete(key);
      found.push(errors);
    }
  }
  return found;
}

function warningsOf(spec: CampaignSpec, detectable: CampaignPreview['detectable']): CampaignPreview['warnings'] {
  if (detectable === null) return [];
  const { rounds, fewestRounds, comparisons } = detectable;
  if (rounds >= fewestRounds) return [];
  const among = comparisons === 1 ? '' : `, among ${comparisons} comparisons,`;
  const instead =
    comparisons === 1 ? `Ask for ${fewestRounds} or more.` : `Ask for ${fewestRounds} or more, or for fewer pages, conditions and views.`;
  const detail = `No data of ${rounds === 1 ? '1 round' : `${rounds} rounds`} can name a winner${among} at 5 %: the verdict will be “inconclusive”. ${instead}`;
  return [{ pointer: spec.maximumRounds === null ? '#/rounds' : '#/maximumRounds', detail }];
}
