import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { AdoptionUnit, CampaignResults, GateResult, GateRules, GroupResults, MetricName } from '@pronghorn/core/schemas';
import type { FastifyBaseLogger } from 'fastify';
import fp from 'fastify-plugin';
import { found } from '../../../problems.ts';
import type { Slice } from '../../../storage/page.ts';
import type { CompleteCampaign } from '../campaigns/campaign-spec.ts';
import type { AnswerFilter } from '../imports/imports-repository.ts';
import type { Estimate } from '../preview/estimate.ts';
import type { NextRounds } from '../rounds/next-rounds.ts';
import { createCompared } from './compared.ts';
import { createComputation, type Job } from './computation.ts';
import { forgetGone } from './gone-campaigns.ts';
import { openKeptResults } from './kept-results.ts';
import { ageOf, createKeptSummaries, staleMs } from './kept-summaries.ts';
import { deskAtHand, openDesks, type ResultsDesk } from './results-desk.ts';
import { resultsFileOf } from './results-file.ts';
import type { ComparisonFilter, GroupFilter, ResultsStore, StoredResults } from './results-store.ts';
import { type CampaignVersion, createVersions } from './results-version.ts';

declare module 'fastify' {
  interface FastifyInstance {
    results: Results;
  }
}

/** A running campaign's summary is kept fresh for so long after somebody read it. */
const watchedMs = 60_000;
/** Groups that are read in one go: a few milliseconds. */
const groupsAtOnce = 5;

export type Results = ReturnType<typeof createResults>;
type Parts = {
  store: ResultsStore;
  desk: ResultsDesk;
  versionOf: (campaignId: number) => CampaignVersion | undefined;
  now: () => number;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** What comes out of campaigns: kept once computed, computed beside the event loop. All of it is text of JSON, as it goes to the client. */
export function createResults({ store, desk, versionOf, now, log }: Parts) {
  const readAt = new Map<number, number>();
  const run = (job: DistributiveOmit<Job, 'asOf'>) => desk.run({ ...job, asOf: now() });
  /** @throws ProblemError not-found. */
  const versionNow = (campaignId: number) => found(versionOf(campaignId), `campaign ${campaignId}`);
  const { stands, withVerdicts } = createKeptSummaries({ store, versionOf, now, log });

  /** Of now: never of fewer finished rounds than there are. */
  async function newest(campaignId: number): Promise<StoredResults> {
    const stored = store.newest(campaignId);
    if (stored?.version === versionNow(campaignId).results) return stored;
    await run({ kind: 'results', campaignId });
    versionNow(campaignId); // or it was deleted meanwhile
    return found(store.newest(campaignId), `campaign ${campaignId}`);
  }

  /** Half as old as a summary may be: a reader who comes back in time never waits. */
  async function refresh(campaignId: number): Promise<void> {
    const [stored, version] = [store.summary(campaignId), versionOf(campaignId)];
    if (!version || stored?.version === version.summary) return;
    if (stored && stored.state === version.state && ageOf(stored, now()) < 0.5) return;
    await run({ kind: 'summary', campaignId });
  }

  /** @throws Error when they were replaced long ago, and deleted: what was read would end too early. */
  function groupsOf(key: number, filter: GroupFilter, slice: { after: number; limit: number }) {
    const rows = store.groups(key, filter, slice);
    if (!store.isWhole(key)) throw new Error('These results were deleted while they were read. Read them anew.');
    return rows;
  }

  return {
    /**
     * The summary as gzipped JSON: of now where nothing changed since, or up to ten seconds old while rounds are performed. A change of
     * the campaign's state is seen at once.
     * @throws ProblemError not-found.
     */
    async summary(campaignId: number): Promise<{ version: string; document: Buffer }> {
      const version = versionNow(campaignId);
      let stored = store.summary(campaignId);
      if (version.state !== 'done') readAt.set(campaignId, now());
      if (!stored || !stands(stored, version)) {
        await run({ kind: 'summary', campaignId });
        stored = found(store.summary(campaignId), `campaign ${campaignId}`);
      }
      return stored;
    },
    /** Of what `summary` gives. */
    textOf: (document: Buffer): string => gunzipSync(document).toString(),

    withVerdicts,

    /** Which version the results have that `open` would give now, without computing them. @throws ProblemError not-found. */
    version: (campaignId: number): string => versionNow(campaignId).results,

    /** Results as JSON, a few groups at a time. @param slice of the groups; null: all of them. @throws ProblemError not-found. */
    async open(campaignId: number, filter: GroupFilter, slice: Slice | null): Promise<{ version: string; text: Readable }> {
      const { key, version, head } = await newest(campaignId);
      async function* text() {
        yield `${head.slice(0, -1)},"groups":[`;
        let [after, left, said] = [slice?.cursor ?? 0, slice?.limit ?? Number.POSITIVE_INFINITY, false];
        let rows: { place: number; text: string }[];
        do {
          await setImmediate(); // a quick reader would leave no time for anybody else
          rows = groupsOf(key, filter, { after, limit: Math.min(groupsAtOnce, left) });
          if (rows.length > 0) yield `${said ? ',' : ''}${rows.map((row) => row.text).join()}`;
          after = rows.at(-1)?.place ?? after;
          left -= rows.length;
          said ||= rows.length > 0;
        } while (rows.length === groupsAtOnce && left > 0);
        if (slice === null) return void (yield ']}');
        const more = groupsOf(key, filter, { after, limit: 1 }).length > 0;
        yield `],"nextCursor":${more ? `"${after}"` : null}}`;
      }
      return { version, text: Readable.from(text(), { objectMode: true, highWaterMark: 1 }) };
    },

    /** The same as objects, for what judges results. Groups come one at a time. @throws ProblemError not-found. */
    async read(campaignId: number, filter: Partial<GroupFilter> = {}) {
      const { key, head } = await newest(campaignId);
      const wanted = { siteId: null, condition: null, view: null, ...filter };
      function* groups(): Generator<GroupResults> {
        for (let after = 0; ; ) {
          const [row] = groupsOf(key, wanted, { after, limit: 1 });
          if (!row) return;
          yield JSON.parse(row.text) as GroupResults;
          after = row.place;
        }
      }
      return { ...(JSON.parse(head) as Omit<CampaignResults, 'groups'>), groups: groups() };
    },

    /** A page of comparisons as JSON. @throws ProblemError not-found. */
    async comparisons(campaignId: number, filter: ComparisonFilter, { limit, cursor }: Slice): Promise<{ version: string; text: string }> {
      const { key, version } = await newest(campaignId);
      const rows = store.comparisons(key, filter, { after: cursor ?? 0, limit: limit + 1 });
      const onPage = rows.slice(0, limit);
      const next = rows.length > limit ? `"${onPage.at(-1)?.place}"` : null;
      return { version, text: `{"items":[${onPage.map((row) => row.text).join()}],"nextCursor":${next}}` };
    },

    /** @throws ProblemError not-found. */
    async across(campaignId: number, metric: MetricName): Promise<string> {
      return found((await run({ kind: 'across', campaignId, metric })) ?? undefined, `campaign ${campaignId}`);
    },
    /** Of a campaign whose sites have levels. @throws ProblemError not-found. */
    async factorial(campaignId: number, metric: MetricName): Promise<string> {
      return found((await run({ kind: 'factorial', campaignId, metric })) ?? undefined, `campaign ${campaignId}`);
    },
    /** @throws ProblemError not-found. */
    async distributions(campaignId: number, metric: MetricName, filter: (Job & { kind: 'distributions' })['filter']): Promise<string> {
      return found((await run({ kind: 'distributions', campaignId, metric, filter })) ?? undefined, `campaign ${campaignId}`);
    },

    ...createCompared({ store, versionNow, now, compute: (pair) => run({ kind: 'compare', ...pair }) }),

    /** What a gate says of a campaign. @throws ProblemError not-found. */
    async gate(campaignId: number, rules: GateRules): Promise<GateResult> {
      const result = JSON.parse((await run({ kind: 'gate', campaignId, rules })) ?? 'null') as GateResult | null;
      return found(result ?? undefined, `campaign ${campaignId}`);
    },

    /** A list of trends of sites, in their order. @param asked.campaigns of each site, the newest. @param asked.withIntervals of H3-Delta. */
    async trends(
      siteIds: number[],
      asked: Pick<Job & { kind: 'trends' }, 'metric' | 'filter' | 'campaigns' | 'withIntervals'>,
    ): Promise<string> {
      return (await run({ kind: 'trends', siteIds, ...asked })) ?? '[]';
    },

    /** Who advertises HTTP/3, by what was imported. */
    async adoption(filter: AnswerFilter, unit: AdoptionUnit): Promise<string> {
      return (await run({ kind: 'adoption', filter, unit })) ?? '';
    },

    /** How long a campaign that is not made would take, and what it would show. */
    async foresee(campaign: CompleteCampaign, location: string | null): Promise<Estimate> {
      return JSON.parse((await run({ kind: 'foresee', campaign, location })) ?? 'null') as Estimate;
    },

    /** What a campaign that goes on until it is settled needs next; undefined where there is no such campaign. */
    async roundsToAdd(campaignId: number): Promise<NextRounds | undefined> {
      return (JSON.parse((await run({ kind: 'rounds-to-add', campaignId })) ?? 'null') as NextRounds | null) ?? undefined;
    },

    /** Computes what is not kept yet of a campaign that is done, so that nobody waits for it. */
    async prepare(campaignId: number): Promise<void> {
      const version = versionOf(campaignId);
      if (version?.state !== 'done' || store.newest(campaignId)?.version === version.results) return;
      await Promise.all([run({ kind: 'summary', campaignId }), run({ kind: 'results', campaignId })]);
    },
    /** Refreshes the summaries of running campaigns that were read lately. */
    async refreshWatched(): Promise<void> {
      for (const [campaignId, at] of readAt) {
        if (now() - at > watchedMs) readAt.delete(campaignId);
        else await refresh(campaignId);
      }
    },
    /** Of a campaign that is no more. */
    forget: (campaignId: number) => run({ kind: 'forget', campaignId }),
  };
}

type DistributiveOmit<T, K extends keyof T> = T extends unknown ? Omit<T, K> : never;

export type ResultsOptions = {
  /** File that keeps results; default: beside the database. */
  file?: string;
  /** Whether those of a campaign that becomes done are computed before somebody asks; default yes. */
  ahead?: boolean;
};

export default fp<{ database: string; now: () => number; results: ResultsOptions }>(
  async (app, { database, now, results: { file: wanted = resultsFileOf(database), ahead = true } }) => {
    const kept = openKeptResults(wanted, (words) => app.log.warn(words));
    const { store } = kept;
    const inMemory = database === ':memory:';
    const desk = inMemory ? deskAtHand(createComputation(app.database, () => store)) : openDesks({ database, file: kept.file, now });
    const results = createResults({ store, desk, versionOf: createVersions(app.database), now, log: app.log });
    app.decorate('results', results);
    const closing = new AbortController();
    const failed = (error: Error) => {
      if (!closing.signal.aborted) app.log.error({ err: error }, 'results could not be computed ahead');
    };
    // Beside the start of the service, which it need not wait for.
    app.addHook('onReady', async () => {
      if (inMemory) return;
      const exists = (campaignId: number) => app.campaigns.stateOf(campaignId) !== undefined;
      const sweeping = forgetGone(store, { exists, forget: results.forget, signal: closing.signal });
      sweeping.then(
        (gone) => gone > 0 && app.log.info(`Results of ${gone} campaigns were removed that this database doesn't have.`),
        failed,
      );
    });
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
    // In memory there are no threads, and nothing is done before it is asked for.
    const forget =
      inMemory || !ahead ? () => {} : app.campaignChanges.listenToAll((campaignId) => void results.prepare(campaignId).catch(failed));
    app.addHook('onClose', async () => {
      closing.abort();
      clearInterval(refreshing);
      forget();
      await desk.close();
      kept.close();
    });
  },
  { name: 'results' },
);
