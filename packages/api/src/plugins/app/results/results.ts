import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { resultsVersion } from '@pronghorn/core/campaign';
import type {
  AdoptionUnit,
  Campaign,
  CampaignAnswers,
  CampaignState,
  CampaignSummary,
  GateResult,
  GateRules,
  ListedCampaign,
  MetricName,
} from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import { found } from '../../../shared/problems.ts';
import type { Slice } from '../../../storage/page.ts';
import type { Store } from '../../../store/store.ts';
import type { AnswerFilter } from '../../../tables/imports-repository.ts';
import {
  type CellFilter,
  type Computed,
  createResultsRepository,
  type KeptDocument,
  type ResultsRepository,
  resultsOf,
  type Subject,
  type SummaryOutline,
  summaryOf,
} from '../../../tables/results-repository.ts';
import type { Estimate } from '../preview/estimate.ts';
import type { NextRounds } from '../queue/next-rounds.ts';
import type { CompleteCampaign } from '../spec/campaign-spec.ts';
import type { ComputedSummary, JobArguments } from './computation.ts';
import { type ComparedFilter, type ComparisonFilter, createResultsPages, replaced } from './results-pages.ts';
import { type CampaignVersion, versionOfBoth, withoutStamps } from './results-version.ts';
import { mostThreads, openWorkerPool, type RunJob, type WorkerPool } from './worker-pool.ts';

declare module 'fastify' {
  interface FastifyInstance {
    results: Results;
    /** Where nothing is computed before it is asked for: settled when lists of sites can be read. */
    summariesAreKept(): Promise<void>;
  }
}

/** How old a summary may be; of one that takes long to compute, twenty times as long: a twentieth of a core, however often it is read. */
const staleMs = 10_000;
const staleTimes = 20;
/** A running campaign's summary is kept fresh for this long after it was read. */
const watchedMs = 60_000;
/** Two campaigns that are compared. */
export type ComparedPair = { campaignId: number; baselineId: number; metric: MetricName };

export type Results = ReturnType<typeof createResults>;
type Parts = {
  /** Is read here, and written where `run` does its jobs. */
  kept: ResultsRepository;
  run: RunJob;
  versions: Pick<Store['results'], 'version' | 'versions' | 'unsummarised'>;
  now: () => number;
  closing: AbortSignal;
};

/** Summaries that are caught up with between two looks. */
const atOnce = 50;

/** What comes out of campaigns: kept once computed, computed beside the event loop. All of it is text of JSON, as it goes to the client. */
export function createResults({ kept, run, versions, now, closing }: Parts) {
  const pages = createResultsPages(kept);
  const readAt = new Map<number, number>();
  /** @throws ProblemError not-found. */
  const versionNow = async (campaignId: number) => found(await versions.version(campaignId), `campaign ${campaignId}`);

  /** How old something is, as a share of how old it may be. What is of the future is of a clock that was set back since. */
  const ageOf = ({ asOf, tookMs }: Pick<Computed, 'asOf' | 'tookMs'>): number =>
    asOf > now() ? Number.POSITIVE_INFINITY : (now() - asOf) / Math.max(staleMs, staleTimes * tookMs);
  /** Whether a summary is of now, or of a campaign that goes on and young enough. Another version of the statistics never stands. */
  const stands = (summary: Computed & { state: CampaignState }, of: CampaignVersion): boolean =>
    summary.version === of.summary ||
    (of.state !== 'done' && summary.state === of.state && summary.version.startsWith(`${resultsVersion}.`) && ageOf(summary) <= 1);

  function keptSummary(campaignId: number): ComputedSummary | undefined {
    const summary = kept.newest(summaryOf(campaignId));
    return summary && { ...summary, state: (JSON.parse(summary.outline) as SummaryOutline).state };
  }

  /** Of now: never of fewer finished rounds than there are. */
  async function newestResults(campaignId: number): Promise<KeptDocument> {
    const { results } = await versionNow(campaignId);
    const before = kept.newest(resultsOf(campaignId));
    if (before?.version === results) return before;
    await run('results', { campaignId }).finally(() => versionNow(campaignId)); // or it was deleted meanwhile
    return found(kept.newest(resultsOf(campaignId)), `campaign ${campaignId}`);
  }

  /** Half as old as a summary may be: a reader who comes back in time never waits. */
  async function refresh(campaignId: number): Promise<void> {
    const version = await versions.version(campaignId);
    const before = keptSummary(campaignId);
    if (!version || before?.version === version.summary) return;
    if (before && before.state === version.state && ageOf(before) < 0.5) return;
    await run('summary', { campaignId });
  }

  /** Whether a comparison is of now, or one of the two campaigns goes on and it is young enough. A change of a campaign’s state is seen at once. */
  function comparisonStands(comparison: Computed, campaign: CampaignVersion, baseline: CampaignVersion): boolean {
    const wanted = versionOfBoth(campaign, baseline);
    if (comparison.version === wanted) return true;
    const goesOn = campaign.state !== 'done' || baseline.state !== 'done';
    return goesOn && withoutStamps(comparison.version) === withoutStamps(wanted) && ageOf(comparison) <= 1;
  }

  return {
    /**
     * The summary as gzipped JSON: of now where nothing changed since, or up to ten seconds old while rounds are performed. A change of
     * the campaign's state is seen at once.
     * @throws ProblemError not-found.
     */
    async summary(campaignId: number): Promise<{ version: string; document: Buffer }> {
      const version = await versionNow(campaignId);
      let summary = keptSummary(campaignId);
      if (version.state !== 'done') readAt.set(campaignId, now());
      if (!summary || !stands(summary, version))
        summary = found((await run('summary', { campaignId })) ?? undefined, `campaign ${campaignId}`);
      const { buffer, byteOffset, byteLength } = summary.document;
      return { version: summary.version, document: Buffer.from(buffer, byteOffset, byteLength) };
    },
    /** Of what `summary` gives. */
    textOf: (document: Buffer): string => gunzipSync(document).toString(),
    read: (document: Buffer) => JSON.parse(gunzipSync(document).toString()) as CampaignSummary,

    /** Campaigns with the verdicts of summaries that stand; null where none is kept. Nothing is computed. */
    async withVerdicts(campaigns: readonly Campaign[]): Promise<ListedCampaign[]> {
      const ids = campaigns.map(({ id }) => Number(id));
      const versionsOf = await versions.versions(ids);
      const summaries = kept.summaries(ids);
      return campaigns.map((campaign) => {
        const [summary, of] = [summaries.get(Number(campaign.id)), versionsOf.get(Number(campaign.id))];
        return { ...campaign, verdicts: summary && of && stands(summary, of) ? summary.verdicts : null };
      });
    },

    /** Which version the results have that `open` would give now, without computing them. @throws ProblemError not-found. */
    version: async (campaignId: number): Promise<string> => (await versionNow(campaignId)).results,

    /** Results as JSON, a few cells at a time. @param slice of the cells; null: all of them. @throws ProblemError not-found. */
    async open(campaignId: number, filter: CellFilter, slice: Slice | null): Promise<{ version: string; text: Readable }> {
      const { key, version } = await newestResults(campaignId);
      return { version, text: Readable.from(pages.results(key, filter, slice), { objectMode: true, highWaterMark: 1 }) };
    },

    /** The answer of each cell on any metric. @throws ProblemError not-found. */
    async answers(campaignId: number, metric: MetricName): Promise<CampaignAnswers> {
      const { key } = await newestResults(campaignId);
      return pages.answers(key, campaignId, metric);
    },

    /** A page of comparisons as JSON. @throws ProblemError not-found. */
    async comparisons(campaignId: number, filter: ComparisonFilter, slice: Slice): Promise<{ version: string; text: string }> {
      const { key, version } = await newestResults(campaignId);
      return { version, text: await pages.comparisons(key, filter, slice) };
    },

    /** @throws ProblemError not-found. */
    across: async (campaignId: number, metric: MetricName): Promise<string> =>
      found((await run('across', { campaignId, metric })) ?? undefined, `campaign ${campaignId}`),
    /** Of a campaign whose sites have levels. @throws ProblemError not-found. */
    factorial: async (campaignId: number, metric: MetricName): Promise<string> =>
      found((await run('factorial', { campaignId, metric })) ?? undefined, `campaign ${campaignId}`),
    /** @throws ProblemError not-found. */
    distributions: async (campaignId: number, metric: MetricName, filter: JobArguments<'distributions'>['filter']): Promise<string> =>
      found((await run('distributions', { campaignId, metric, filter })) ?? undefined, `campaign ${campaignId}`),

    /**
     * The comparison that a page is of: of now where nothing changed since, or up to ten seconds old while rounds are performed, and as
     * long as twenty times its computing took. A cursor stays with the one that it is of.
     * @throws ProblemError not-found; invalid-request where the cursor's is replaced; results-busy.
     */
    async compared(pair: ComparedPair, cursor: number | null): Promise<KeptDocument> {
      const subject: Subject = { ...pair, kind: 'comparison' };
      const versionsNow = async () => [await versionNow(pair.campaignId), await versionNow(pair.baselineId)] as const;
      const both = await versionsNow();
      const before = kept.newest(subject);
      if (cursor !== null) {
        if (before?.key !== kept.keyOf(cursor)) throw replaced();
        return before;
      }
      if (before && comparisonStands(before, ...both)) return before;
      await run('compare', pair).finally(versionsNow); // or one was deleted meanwhile
      return found(kept.newest(subject), `comparison of campaigns ${pair.campaignId} and ${pair.baselineId}`);
    },

    /** A page of it, as JSON. @throws ProblemError invalid-request when it was replaced meanwhile. */
    comparedPage: ({ key }: Pick<KeptDocument, 'key'>, filter: ComparedFilter, slice: Slice) => pages.compared(key, filter, slice),

    /** The result of a gate. @throws ProblemError not-found. */
    gate: async (campaignId: number, rules: GateRules): Promise<GateResult> =>
      found((await run('gate', { campaignId, rules })) ?? undefined, `campaign ${campaignId}`),

    /** A list of trends of sites, in their order. @param asked.campaigns of each site, the newest. @param asked.withIntervals of H3-Delta. */
    trends: (siteIds: number[], asked: Omit<JobArguments<'trends'>, 'siteIds'>): Promise<string> => run('trends', { siteIds, ...asked }),

    /** Who advertises HTTP/3, according to imports. */
    adoption: (filter: AnswerFilter, unit: AdoptionUnit): Promise<string> => run('adoption', { filter, unit }),

    /** How long a campaign that does not exist yet would take, and what it could show. */
    foresee: (campaign: CompleteCampaign, location: string | null): Promise<Estimate> => run('foresee', { campaign, location }),

    /** What a campaign that goes on until it is settled needs next; undefined where there is no such campaign. */
    roundsToAdd: async (campaignId: number): Promise<NextRounds | undefined> => (await run('roundsToAdd', { campaignId })) ?? undefined,

    /** Computes what is not kept yet of a campaign that is done, so that nobody waits for it. */
    async prepare(campaignId: number): Promise<void> {
      const version = await versions.version(campaignId);
      if (version?.state !== 'done' || kept.newest(resultsOf(campaignId))?.version === version.results) return;
      await Promise.all([run('summary', { campaignId }), run('results', { campaignId })]);
    },
    /**
     * Computes the summaries that are not kept of campaigns that are done, such as those that ended while no service ran: lists of sites are made of them.
     * @throws Error the first that one threw, whatever became of the others.
     */
    async catchUp(): Promise<void> {
      const ended = new Promise<void>((resolve) => closing.addEventListener('abort', () => resolve(), { once: true }));
      const tried = new Set<number>(); // one that fails, or can't be kept now, is tried again at the next look
      const failures: unknown[] = [];
      while (!closing.aborted) {
        const campaignIds = (await versions.unsummarised(tried.size + atOnce)).filter((id) => !tried.has(id));
        if (campaignIds.length === 0) break;
        for (const campaignId of campaignIds) {
          tried.add(campaignId);
          if (!closing.aborted) await Promise.race([run('summary', { campaignId }), ended]).catch((error) => failures.push(error));
        }
      }
      if (failures.length > 0 && !closing.aborted) throw failures[0];
    },
    /** Refreshes the summaries of running campaigns that were read lately. */
    async refreshWatched(): Promise<void> {
      for (const [campaignId, at] of readAt) {
        if (now() - at > watchedMs) readAt.delete(campaignId);
        else await refresh(campaignId);
      }
    },
  };
}

/** Jobs are done at once, in the event loop. */
function inEventLoop({ results }: Store): WorkerPool {
  return { run: results.compute as RunJob, close: async () => {} };
}

export type ResultsOptions = {
  /** Whether those of a campaign that becomes done are computed before somebody asks; default yes. */
  ahead?: boolean;
  /** How many threads compute them; default as many as a service of many needs. 0: the event loop does, as it must for a database in memory. */
  threads?: number;
};

export default fp<{ database: string; now: () => number; results: ResultsOptions }>(
  async (app, { database, now, results: { ahead = true, threads = database === ':memory:' ? 0 : mostThreads } }) => {
    const pool = threads > 0 ? openWorkerPool({ database, now, threads }) : inEventLoop(app.store);
    const closing = new AbortController();
    const results = createResults({
      kept: createResultsRepository(app.database),
      run: pool.run,
      versions: app.store.results,
      now,
      closing: closing.signal,
    });
    app.decorate('results', results);
    const failed = (error: Error) => {
      if (!closing.signal.aborted) app.log.error({ err: error }, 'results could not be computed ahead');
    };
    let refreshed = true;
    const refresh = () =>
      results.refreshWatched().then(
        () => {
          refreshed = true;
        },
        (error) => {
          if (refreshed) failed(error); // which is said once
          refreshed = false;
        },
      );
    const refreshing = setInterval(() => void refresh(), staleMs / 4).unref();
    // Without threads nothing is done before it is asked for.
    const isAsked = threads === 0 || !ahead;
    app.decorate('summariesAreKept', isAsked ? () => results.catchUp().catch(failed) : async () => {});
    app.addHook('preClose', async () => closing.abort());
    if (!isAsked) app.whenDue('summaries', runLoop(app, { name: 'summaries', tick: results.catchUp }));
    const forget = isAsked ? () => {} : app.campaignChanges.listenToAll((campaignId) => void results.prepare(campaignId).catch(failed));
    app.addHook('onClose', async () => {
      closing.abort();
      clearInterval(refreshing);
      forget();
      await pool.close();
    });
  },
  { name: 'results' },
);
