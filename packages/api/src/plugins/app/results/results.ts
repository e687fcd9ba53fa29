import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type {
  Campaign,
  CampaignResults,
  GateResult,
  GateRules,
  GroupResults,
  ListedCampaign,
  MetricName,
  PlaceFilter,
} from '@pronghorn/core';
import fp from 'fastify-plugin';
import { found } from '../../../problems.ts';
import type { Slice } from '../../../storage/page.ts';
import type { RoundsToAdd } from '../queue/rounds-to-add.ts';
import type { TrendFilter } from '../sites/trends-repository.ts';
import { createComputation, type Job } from './computation.ts';
import { forgetGone } from './gone-campaigns.ts';
import { deskAtHand, openDesks, type ResultsDesk } from './results-desk.ts';
import { openResultsFile, resultsFileOf } from './results-file.ts';
import {
  type ComparisonFilter,
  createResultsStore,
  type GroupFilter,
  type ResultsStore,
  type StoredResults,
  type StoredSummary,
} from './results-store.ts';
import { type CampaignVersion, createVersions } from './results-version.ts';

declare module 'fastify' {
  interface FastifyInstance {
    results: Results;
  }
}

/** How old a summary may be; of one that takes long to compute, twenty times as long: a twentieth of a core, however often it is read. */
const staleMs = 10_000;
const staleTimes = 20;
/** A running campaign's summary is kept fresh for so long after somebody read it. */
const watchedMs = 60_000;
/** Groups that are read in one go: a few milliseconds. */
const groupsAtOnce = 5;

export type Results = ReturnType<typeof createResults>;
type Parts = { store: ResultsStore; desk: ResultsDesk; versionOf: (campaignId: number) => CampaignVersion | undefined; now: () => number };

/** What comes out of campaigns: kept once computed, computed beside the event loop. All of it is text of JSON, as it goes to the client. */
export function createResults({ store, desk, versionOf, now }: Parts) {
  const readAt = new Map<number, number>();
  const run = (job: DistributiveOmit<Job, 'asOf'>) => desk.run({ ...job, asOf: now() });
  /** @throws ProblemError not-found. */
  const versionNow = (campaignId: number) => found(versionOf(campaignId), `campaign ${campaignId}`);
  /** How old a summary is, as a share of how old it may be. One of the future is of a clock that was set back since. */
  const ageOf = ({ asOf, tookMs }: StoredSummary) =>
    asOf > now() ? Number.POSITIVE_INFINITY : (now() - asOf) / Math.max(staleMs, staleTimes * tookMs);

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
    if (stored && stored.state === version.state && ageOf(stored) < 0.5) return;
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
      const { state, summary: version } = versionNow(campaignId);
      let stored = store.summary(campaignId);
      if (state !== 'done') readAt.set(campaignId, now());
      if (!stored || (stored.version !== version && (stored.state !== state || ageOf(stored) > 1))) {
        await run({ kind: 'summary', campaignId });
        stored = found(store.summary(campaignId), `campaign ${campaignId}`);
      }
      return stored;
    },
    /** Of what `summary` gives. */
    textOf: (document: Buffer): string => gunzipSync(document).toString(),

    /** Verdicts of the summaries that are kept; null where none is of the state that the campaign is in. Nothing is computed. */
    withVerdicts(campaigns: readonly Campaign[]): ListedCampaign[] {
      const kept = store.verdicts(campaigns.map(({ id }) => Number(id)));
      return campaigns.map((campaign) => {
        const { state, verdicts = null } = kept.get(Number(campaign.id)) ?? {};
        return { ...campaign, verdicts: state === campaign.state ? verdicts : null };
      });
    },

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
    /** @throws ProblemError not-found. */
    async distributions(campaignId: number, metric: MetricName, filter: (Job & { kind: 'distributions' })['filter']): Promise<string> {
      return found((await run({ kind: 'distributions', campaignId, metric, filter })) ?? undefined, `campaign ${campaignId}`);
    },

    /** A campaign against another one. @throws ProblemError not-found. */
    async compare(campaignId: number, baselineId: number, metric: MetricName, filter: PlaceFilter): Promise<string> {
      versionNow(baselineId);
      return found((await run({ kind: 'compare', campaignId, baselineId, metric, filter })) ?? undefined, `campaign ${campaignId}`);
    },

    /** What a gate says of a campaign. @throws ProblemError not-found. */
    async gate(campaignId: number, rules: GateRules): Promise<GateResult> {
      const result = JSON.parse((await run({ kind: 'gate', campaignId, rules })) ?? 'null') as GateResult | null;
      return found(result ?? undefined, `campaign ${campaignId}`);
    },

    /** A list of trends of sites, in their order. @param campaigns of each site, the newest. */
    async trends(siteIds: number[], metric: MetricName, filter: TrendFilter, campaigns: number): Promise<string> {
      return (await run({ kind: 'trends', siteIds, metric, filter, campaigns })) ?? '[]';
    },

    /** What a campaign that goes on until it is settled needs next; undefined where there is no such campaign. */
    async roundsToAdd(campaignId: number): Promise<RoundsToAdd | undefined> {
      return (JSON.parse((await run({ kind: 'rounds-to-add', campaignId })) ?? 'null') as RoundsToAdd | null) ?? undefined;
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
  async (app, { database, now, results: { file = resultsFileOf(database), ahead = true } }) => {
    const kept = openResultsFile(file);
    const store = createResultsStore(kept);
    const inMemory = database === ':memory:';
    const desk = inMemory ? deskAtHand(createComputation(app.database, store)) : openDesks({ database, file });
    const results = createResults({ store, desk, versionOf: createVersions(app.database), now });
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
    const refreshing = setInterval(() => void results.refreshWatched().catch(failed), staleMs / 4).unref();
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
  { name: 'results', dependencies: ['sqlite', 'campaign-changes', 'campaigns-repository', 'visits-repository'] },
);
