import type {
  Annotations,
  BaselineKind,
  Campaign,
  CampaignSpec,
  CampaignState,
  EvidencePolicy,
  MetricName,
  Page,
  PipelineEvent,
  Priority,
  Since,
  Site,
} from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { found } from '../shared/problems.ts';
import type { Database } from '../storage/database.ts';
import { pageWithin, rowId, type Slice } from '../storage/page.ts';

/** Who asked for a campaign, how urgently, where, and for which state of the pages. */
export type Circumstances = { priority: Priority; location: string | null; annotations: Annotations; createdBy: Creator | null };

/** Names of tokens are unique while they can be used, and those of schedules are; a token and a schedule may have the same. */
export type Creator = { kind: 'token' | 'schedule'; name: string };

type Row = {
  id: number;
  createdAt: string;
  finishedAt: string | null;
  createdBy: string | null;
  createdByKind: Creator['kind'] | null;
  priority: Priority;
  location: string | null;
  state: CampaignState;
  spec: string;
} & AnnotationRow &
  Campaign['progress'];
/** What a campaign was annotated with; null: not. */
export type AnnotationRow = {
  commit: string | null;
  branch: string | null;
  buildUrl: string | null;
  event: PipelineEvent | null;
  pullRequest: number | null;
  repeats: number | null;
};
/** @param own JSON of what it has of its own beside its name: visitor, workload, levels. Null: nothing. */
type SiteRow = { id: number; url: string; name: string; expectStatus: number; own: string | null };

/** Null: any. Texts are found anywhere and in any case; times are ISO 8601. */
export type CampaignFilter = {
  state: CampaignState | null;
  siteId: number | null;
  /** Part of a site's URL. */
  url: string | null;
  /** Part of its name, or of a site's URL. */
  search: string | null;
  branch: string | null;
  commit: string | null;
  priority: Priority | null;
  createdBy: string | null;
  /** owner: this machine's own user. */
  createdByKind: Creator['kind'] | 'owner' | null;
  /** Created then or later. */
  since: string | null;
  /** Created before. */
  until: string | null;
};

/** Owns the tables campaigns and campaign_sites, and makes the rows of sites; triggers keep campaign_progress. */
export type CampaignsRepository = ReturnType<typeof createCampaignsRepository>;

export function createCampaignsRepository(database: Database) {
  const selectEventId = database.prepare<[number], number>('SELECT eventId FROM campaign_progress WHERE campaignId = ?').pluck();
  const insertCampaign = database.prepare<Omit<Row, 'id' | 'state' | 'finishedAt' | keyof Campaign['progress']>>(
    `INSERT INTO campaigns (createdAt, createdBy, createdByKind, priority, location, "commit", branch, buildUrl, event, pullRequest, repeats, state, spec)
     VALUES (@createdAt, @createdBy, @createdByKind, @priority, @location, @commit, @branch, @buildUrl, @event, @pullRequest, @repeats, 'queued', @spec)`,
  );
  const insertSite = database.prepare<[string, number]>('INSERT INTO sites (url, expectStatus) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const findSite = database.prepare<[string, number], { id: number }>('SELECT id FROM sites WHERE url = ? AND expectStatus = ?');
  const insertCampaignSite = database.prepare<[number, number, number, string, string | null]>(
    'INSERT INTO campaign_sites (campaignId, place, siteId, name, own) VALUES (?, ?, ?, ?, ?)',
  );
  const readable = `campaigns.*, queued + leased + done + cancelled AS rounds, done + cancelled AS roundsDone, visitsValid, visitsInvalid
     FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id`;
  const select = database.prepare<[number], Row>(`SELECT ${readable} WHERE campaigns.id = ? AND deletedAt IS NULL`);
  // Which are on the page is found in the index alone: see its migration.
  const withUrl = (part: string) =>
    `id IN (SELECT campaignId FROM campaign_sites WHERE siteId IN (SELECT id FROM sites WHERE instr(lower(url), lower(${part})) > 0))`;
  const selectNewest = database.prepare<CampaignFilter & { cursor: number | null; limit: number }, Row & { sitesLength: number }>(
    `SELECT (SELECT sum(length(url) + length(coalesce(own, ''))) FROM campaign_sites JOIN sites ON sites.id = siteId WHERE campaignId = campaigns.id) AS sitesLength,
       ${readable} WHERE campaigns.id IN (
       SELECT id FROM campaigns INDEXED BY campaigns_listed
       WHERE id < coalesce(@cursor, 9223372036854775807) AND deletedAt IS NULL AND (@state IS NULL OR state = @state)
         AND (@priority IS NULL OR priority = @priority) AND (@createdBy IS NULL OR createdBy = @createdBy)
         AND (@createdByKind IS NULL OR (SELECT coalesce(createdByKind, 'owner') FROM campaigns AS own WHERE own.id = campaigns.id) = @createdByKind)
         AND (@branch IS NULL OR branch = @branch) AND (@commit IS NULL OR "commit" = @commit)
         AND (@since IS NULL OR createdAt >= @since) AND (@until IS NULL OR createdAt < @until)
         AND (@search IS NULL OR instr(lower(name), lower(@search)) > 0 OR ${withUrl('@search')})
         AND (@siteId IS NULL OR id IN (SELECT campaignId FROM campaign_sites WHERE siteId = @siteId))
         AND (@url IS NULL OR ${withUrl('@url')})
       ORDER BY id DESC LIMIT @limit + 1)
     ORDER BY campaigns.id DESC`,
  );
  const ofSites = `SELECT sites.id, sites.url, campaign_sites.name, sites.expectStatus, own FROM campaign_sites JOIN sites ON sites.id = siteId
     WHERE campaignId = ?`;
  const selectSites = database.prepare<[number], SiteRow>(`${ofSites} ORDER BY place`);
  const selectOneSite = database.prepare<[number, number], SiteRow>(`${ofSites} AND siteId = ?`);
  const selectSiteName = database.prepare<[number, number], { name: string }>(
    'SELECT name FROM campaign_sites WHERE campaignId = ? AND siteId = ?',
  );
  const countUnfinished = database.prepare<{ token: string }, { unfinished: number }>(
    `SELECT (SELECT count(*) FROM campaigns WHERE createdBy = @token AND createdByKind = 'token' AND state IN ('queued', 'running'))
       + (SELECT count(*) FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
          WHERE startedBy = @token AND state IN ('queued', 'running')) AS unfinished`,
  );
  // Its own gate is the first question to it. One run fails nothing against a baseline: that its gate failed, another run says, of which it is the other run.
  const failed = `EXISTS (
       SELECT 1 FROM gate_answers AS own
       WHERE own.id = (SELECT min(id) FROM gate_answers WHERE campaignId = campaigns.id)
         AND (own.outcome NOT IN ('pass', 'inconclusive')
           OR own.outcome = 'inconclusive' AND EXISTS (
             SELECT 1 FROM gate_answers AS later
             WHERE later.outcome = 'fail' AND later.result ->> '$.baseline.otherRun' = CAST(campaigns.id AS TEXT))))`;
  const selectDoneBefore = database.prepare<{ campaignId: number; branch: string; newest: number | null; failed: 0 | 1 }, { id: number }>(
    `SELECT id FROM campaigns
     WHERE branch = @branch AND state = 'done' AND id < coalesce(@newest, @campaignId) AND id <> @campaignId AND deletedAt IS NULL
       AND repeats IS NULL AND pullRequest IS NULL AND event IS NOT 'pull-request' AND (@failed = 1 OR NOT ${failed}) AND EXISTS (
       SELECT 1 FROM campaign_sites
       WHERE campaign_sites.campaignId = campaigns.id
         AND (siteId IN (SELECT siteId FROM campaign_sites WHERE campaignId = @campaignId)
           OR name IN (SELECT name FROM campaign_sites WHERE campaignId = @campaignId)))
     ORDER BY id DESC LIMIT 1000`,
  );
  const selectRunBefore = database.prepare<{ campaignId: number }, { id: number }>(
    `SELECT campaigns.id FROM schedule_starts JOIN campaigns ON campaigns.id = campaignId
     WHERE scheduleId = (SELECT scheduleId FROM schedule_starts WHERE campaignId = @campaignId) AND campaignId < @campaignId AND state = 'done' AND deletedAt IS NULL
     ORDER BY campaignId DESC LIMIT 1`,
  );
  const selectEarlier = database.prepare<{ campaignId: number }, { id: number }>(
    `SELECT DISTINCT campaigns.id FROM campaign_sites JOIN campaigns ON campaigns.id = campaignId JOIN campaign_progress USING (campaignId)
     WHERE siteId IN (SELECT siteId FROM campaign_sites WHERE campaignId = @campaignId) AND campaignId < @campaignId
       AND state = 'done' AND deletedAt IS NULL AND visitsValid > 0 AND pullRequest IS NULL AND event IS NOT 'pull-request'
     ORDER BY campaigns.id DESC LIMIT 50`,
  );
  const selectNewestComparing = database.prepare<[number], { id: number }>(
    `SELECT campaigns.id FROM campaign_sites JOIN campaigns ON campaigns.id = campaignId
     WHERE siteId = ? AND state = 'done' AND deletedAt IS NULL
       AND EXISTS (SELECT 1 FROM json_each(spec, '$.protocols') WHERE value = 'h2')
       AND EXISTS (SELECT 1 FROM json_each(spec, '$.protocols') WHERE value = 'h3')
     ORDER BY (createdByKind IS 'schedule' OR pullRequest IS NULL AND event IS NOT 'pull-request'
       AND (branch IS NULL OR branch IN (${publishedBranches.map((name) => `'${name}'`)}))) DESC, campaigns.id DESC LIMIT 1`,
  );
  const selectOwner = database.prepare<[number], { owner: string | null }>(
    `SELECT iif(createdByKind = 'schedule', (SELECT schedules.createdBy FROM schedule_starts JOIN schedules ON schedules.id = scheduleId
       WHERE campaignId = campaigns.id), createdBy) AS owner FROM campaigns WHERE id = ?`,
  );
  const selectStanding = database.prepare<[number], { state: CampaignState } & Campaign['progress']>(
    `SELECT state, queued + leased + done + cancelled AS rounds, done + cancelled AS roundsDone, visitsValid, visitsInvalid
     FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id WHERE campaigns.id = ? AND deletedAt IS NULL`,
  );
  const selectMoment = database.prepare<[number], { moment: string }>(
    `SELECT concat_ws(' ', campaigns.id, createdAt, state, coalesce(finishedAt, '-'), queued, leased, done, cancelled, visitsValid, visitsInvalid) AS moment
     FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id WHERE campaigns.id = ? AND deletedAt IS NULL`,
  );
  const selectStamp = database.prepare<[number], { stamp: string }>('SELECT stamp FROM campaign_progress WHERE campaignId = ?');
  const selectState = database.prepare<[number], { state: CampaignState }>(
    'SELECT state FROM campaigns WHERE id = ? AND deletedAt IS NULL',
  );
  const selectSpec = database.prepare<[number], { state: CampaignState; spec: string }>(
    'SELECT state, spec FROM campaigns WHERE id = ? AND deletedAt IS NULL',
  );
  const selectExtent = database.prepare<[number], { state: CampaignState; maximumRounds: number | null }>(
    `SELECT state, spec ->> '$.maximumRounds' AS maximumRounds FROM campaigns WHERE id = ? AND deletedAt IS NULL`,
  );
  const selectProtocols = database.prepare<[number], { protocols: string }>(
    `SELECT spec ->> '$.protocols' AS protocols FROM campaigns WHERE id = ?`,
  );
  const selectEvidencePolicy = database.prepare<
    [number],
    { state: CampaignState; policy: EvidencePolicy | null; primaryMetric: MetricName }
  >(`SELECT state, spec ->> '$.evidence' AS policy, spec ->> '$.primaryMetric' AS primaryMetric FROM campaigns WHERE id = ?`);
  const undecided = `FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id
     WHERE state IN ('queued', 'running') AND queued = 0 AND leased = 0 AND deletedAt IS NULL`;
  const selectUndecided = database.prepare<[], { id: number }>(`SELECT campaigns.id ${undecided}`);
  const isUndecided = database.prepare<[number]>(`SELECT 1 ${undecided} AND campaigns.id = ?`);
  const updateState = database.prepare<[CampaignState, string | null, number]>(
    'UPDATE campaigns SET state = ?, finishedAt = ? WHERE id = ?',
  );
  const updateDeleted = database.prepare<[string, number]>('UPDATE campaigns SET deletedAt = ? WHERE id = ?');
  const deleted = 'SELECT id FROM campaigns INDEXED BY campaigns_listed WHERE deletedAt IS NOT NULL';
  const selectDeletedBefore = database.prepare<[string], { id: number }>(`${deleted} AND deletedAt <> '' AND deletedAt <= ?`);
  const selectLeaving = database.prepare<[], { id: number }>(`${deleted} AND deletedAt = ''`);
  const selectIsDeleted = database.prepare<[number]>('SELECT 1 FROM campaigns WHERE id = ? AND deletedAt IS NOT NULL');
  const updateRestored = database.prepare<[number, string]>('UPDATE campaigns SET deletedAt = NULL WHERE id = ? AND deletedAt > ?');
  const selectSiteIds = database.prepare<[number], { siteId: number }>('SELECT siteId FROM campaign_sites WHERE campaignId = ?');
  const deleteCampaign = database.prepare<[number]>('DELETE FROM campaigns WHERE id = ?');
  const deleteSite = database.prepare<[{ id: number }]>(
    'DELETE FROM sites WHERE id = @id AND NOT EXISTS (SELECT 1 FROM campaign_sites WHERE siteId = @id)',
  );
  const deleteOne = database.transaction((campaignId: number): void => {
    const ids = selectSiteIds.all(campaignId);
    deleteCampaign.run(campaignId);
    for (const { siteId } of ids) deleteSite.run({ id: siteId });
  });

  const selectSince = database.prepare<[number], { at: string; commit: string | null }>(
    'SELECT createdAt AS at, "commit" FROM campaigns WHERE id = ?',
  );
  const selectDoneAt = database
    .prepare<[number], string>('SELECT coalesce(finishedAt, createdAt) FROM campaigns WHERE id = ? AND deletedAt IS NULL')
    .pluck();
  const selectActive = database.prepare<
    [],
    { siteId: number; campaignId: number; state: 'queued' | 'running'; roundsDone: number; rounds: number }
  >(
    `SELECT siteId, campaigns.id AS campaignId, state, done + cancelled AS roundsDone, queued + leased + done + cancelled AS rounds
     FROM campaigns INDEXED BY campaigns_unfinished JOIN campaign_progress ON campaign_progress.campaignId = campaigns.id
     JOIN campaign_sites ON campaign_sites.campaignId = campaigns.id
     WHERE state IN ('queued', 'running') AND deletedAt IS NULL ORDER BY campaigns.id`,
  );

  const toSite = ({ id, own, ...row }: SiteRow): Site => ({ id: String(id), ...row, ...(own === null ? {} : JSON.parse(own)) });
  const sitesOf = (campaignId: number): Site[] => selectSites.all(campaignId).map(toSite);
  const specOf = (campaignId: number): { state: CampaignState; spec: CampaignSpec } | undefined => {
    const row = selectSpec.get(campaignId);
    return row && { state: row.state, spec: JSON.parse(row.spec) as CampaignSpec };
  };

  const toCampaign = (row: Row): Campaign => ({
    id: String(row.id),
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    createdBy: row.createdBy,
    createdByKind: row.createdByKind,
    priority: row.priority,
    location: row.location,
    annotations: annotationsOf(row),
    state: row.state,
    spec: JSON.parse(row.spec) as CampaignSpec,
    sites: sitesOf(row.id),
    progress: { rounds: row.rounds, roundsDone: row.roundsDone, visitsValid: row.visitsValid, visitsInvalid: row.visitsInvalid },
  });

  return {
    /**
     * @param sites in the order of the request, every choice made.
     * @returns the row of the campaign, and of each site.
     */
    insert(
      spec: CampaignSpec,
      sites: readonly Omit<Site, 'id'>[],
      { annotations, createdBy, ...circumstances }: Circumstances,
      createdAt: string,
    ): { campaignId: number; siteIds: number[] } {
      const { commit = null, branch = null, buildUrl = null, event = null, pullRequest = null, repeats } = annotations;
      const creator = { createdBy: createdBy?.name ?? null, createdByKind: createdBy?.kind ?? null };
      const notes = { commit, branch, buildUrl, event, pullRequest, repeats: repeats === undefined ? null : rowId(repeats) };
      const row = { ...circumstances, ...creator, ...notes, createdAt, spec: JSON.stringify(spec) };
      const campaignId = Number(insertCampaign.run(row).lastInsertRowid);
      const siteIds = sites.map(({ url, name, expectStatus, ...own }, place) => {
        insertSite.run(url, expectStatus);
        const siteId = findSite.get(url, expectStatus)?.id ?? 0;
        insertCampaignSite.run(campaignId, place, siteId, name, Object.keys(own).length === 0 ? null : JSON.stringify(own));
        return siteId;
      });
      return { campaignId, siteIds };
    },

    find(id: string): Campaign | undefined {
      const row = select.get(rowId(id));
      return row && toCampaign(row);
    },

    /** The slots of its rounds: every upload asks. */
    protocolsOf(campaignId: number): Protocol[] | undefined {
      const row = selectProtocols.get(campaignId);
      return row && (JSON.parse(row.protocols) as Protocol[]);
    },

    /** The last event that was stored; 0: none was. */
    newestEventId: (campaignId: number): number => selectEventId.get(campaignId) ?? 0,
    /** How far it is, without its sites, which may have megabytes: who follows it asks after every change. */
    standingOf(campaignId: number): Pick<Campaign, 'state' | 'progress'> | undefined {
      const row = selectStanding.get(campaignId);
      if (row === undefined) return undefined;
      const { state, ...progress } = row;
      return { state, progress };
    },
    /** A short text that is another one as soon as anything of it is: what it asks for never changes. */
    momentOf: (campaignId: number): string | undefined => selectMoment.get(campaignId)?.moment,
    /** Another one whenever the results of a campaign become others: a round finished, or a link check came. */
    stampOf: (campaignId: number): string | undefined => selectStamp.get(campaignId)?.stamp,
    /** Without reading the rest: it is asked after every change. */
    stateOf: (campaignId: number): CampaignState | undefined => selectState.get(campaignId)?.state,

    /** Of which visits its evidence is kept; null: of all. Also of one that is being deleted. */
    evidencePolicyOf: (campaignId: number) => selectEvidencePolicy.get(campaignId),

    /**
     * That there is such a campaign.
     * @param id of a request: any text.
     * @throws ProblemError not-found.
     */
    known(id: string): { campaignId: number; state: CampaignState } {
      const campaignId = rowId(id);
      return { campaignId, ...found(selectState.get(campaignId), `campaign ${id}`) };
    },

    /** Name of the token that made it, or the schedule that started it; null: this machine's own command, or nobody that is known any more. */
    ownerOf: (campaignId: number): string | null => found(selectOwner.get(campaignId), `campaign ${campaignId}`).owner,

    /** What is asked for, without counting how far it is. */
    findSpec(campaignId: number): { state: CampaignState; spec: CampaignSpec; sites: Site[] } | undefined {
      const found = specOf(campaignId);
      return found && { ...found, sites: sitesOf(campaignId) };
    },
    /** As `findSpec`, without its sites, which may have megabytes. */
    specOf,
    sitesOf,
    siteOf(campaignId: number, siteId: number): Site | undefined {
      const row = selectOneSite.get(campaignId, siteId);
      return row && toSite(row);
    },
    siteNameOf: (campaignId: number, siteId: number): string | undefined => selectSiteName.get(campaignId, siteId)?.name,
    /** Whether it may get more rounds: each round that ends asks. */
    extentOf: (campaignId: number): { state: CampaignState; maximumRounds: number | null } | undefined => selectExtent.get(campaignId),
    /** Where it leads, in the form of a request; null: there is no such campaign. */
    ledBy(campaignId: number): (Pick<CampaignSpec, 'visitor'> & { sites: Site[] }) | null {
      const found = specOf(campaignId);
      return found === undefined ? null : { ...found.spec, sites: sitesOf(campaignId) };
    },

    /** Newest first. */
    page(filter: CampaignFilter, { limit, cursor }: Slice): Page<Campaign> {
      return pageWithin(
        selectNewest.iterate({ ...filter, cursor, limit }),
        limit,
        ({ spec, sitesLength }) => spec.length + sitesLength,
        toCampaign,
        (row) => row.id,
      );
    },

    /** The campaign before it of the schedule that started it, of those that are done. */
    runBefore: (campaignId: number): number | undefined => selectRunBefore.get({ campaignId })?.id,

    /**
     * Those of a branch that are done, were made before this one and have a site of it, by URL or name; newest first, at most 1,000. A second run is none: it
     * would count its page twice. Nor is a pull request's.
     *
     * @param others.only passed: without those whose own gate failed.
     * @param others.newest counts first, whatever its gate said; null: there is no such campaign.
     */
    doneBefore(campaignId: number, branch: string, { only, newest }: { only: BaselineKind; newest: number | null }): number[] {
      const before = selectDoneBefore.all({ campaignId, branch, newest, failed: only === 'all' ? 1 : 0 }).map(({ id }) => id);
      return newest === null || newest === campaignId ? before : [newest, ...before];
    },

    /** Those before it that are done and measured any of its sites, without proposed changes: newest first, at most 50. */
    earlier: (campaignId: number): number[] => selectEarlier.all({ campaignId }).map(({ id }) => id),

    /** The newest that is done and compared h3 with h2 on a site: of those that measure what is published, if there are any. */
    newestComparing: (siteId: number): number | undefined => selectNewestComparing.get(siteId)?.id,

    /** As where something begins: a commit that the campaign before has, too, began nothing. */
    sinceOf(campaignId: number, before: number | undefined): Omit<Since, 'browserChange'> {
      const { at, commit } = found(selectSince.get(campaignId), `campaign ${campaignId}`);
      const isSame = before !== undefined && selectSince.get(before)?.commit === commit;
      return { at, campaignId: String(campaignId), commit: isSame ? null : commit };
    },
    /** ISO 8601; of one that is done. */
    doneAt: (campaignId: number): string | undefined => selectDoneAt.get(campaignId),
    /** The newest that is not done, by site. */
    activeOfSites: () =>
      new Map(selectActive.all().map(({ siteId, campaignId, ...active }) => [siteId, { campaignId: String(campaignId), ...active }])),

    /** How many that a token asked for are not done, by itself or by starting a schedule by hand. @param token its name. */
    countUnfinished: (token: string): number => countUnfinished.get({ token })?.unfinished ?? 0,

    /** Those without an open round of which nobody has decided yet whether they are done or get more rounds. */
    undecided: (): number[] => selectUndecided.all().map(({ id }) => id),
    isUndecided: (campaignId: number): boolean => isUndecided.get(campaignId) !== undefined,

    /** From now on nobody finds it. @param at ISO 8601. */
    markDeleted: (campaignId: number, at: string): void => void updateDeleted.run(at, campaignId),
    isDeleted: (campaignId: number): boolean => selectIsDeleted.get(campaignId) !== undefined,
    /** Deleted until then. @param time ISO 8601. */
    deletedBefore: (time: string): number[] => selectDeletedBefore.all(time).map(({ id }) => id),
    /** Somebody finds it again, if it was deleted after then. @param after ISO 8601. @returns whether it was. */
    restore: (campaignId: number, after: string): boolean => updateRestored.run(campaignId, after).changes === 1,
    /** From now on it goes, and nothing brings it back. */
    markLeaving: (campaignId: number): void => void updateDeleted.run('', campaignId),
    /** Of which there may still be rows. */
    leaving: (): number[] => selectLeaving.all().map(({ id }) => id),
    /** With what is left of it, and sites that no other campaign has. */
    delete: (campaignId: number): void => deleteOne.immediate(campaignId),

    /** @param finishedAt ISO 8601, of one that is done; null: unknown, or it is not. */
    setState(campaignId: number, state: CampaignState, finishedAt: string | null = null): void {
      updateState.run(state, finishedAt, campaignId);
    },
  };
}

/** Its rounds are done, or will not be performed; false where there is no campaign. */
export const hasEnded = (state: CampaignState | undefined): boolean => state === 'done' || state === 'cancelled';

/**
 * Whether a campaign measures what is published, rather than a proposed change: a schedule started it, or it is of no pull request, and of no branch but
 * those that are published.
 */
export const isPublished = (
  { createdByKind, annotations: { branch, event, pullRequest } }: Pick<Campaign, 'createdByKind' | 'annotations'>,
  branches: readonly string[] = publishedBranches,
): boolean =>
  createdByKind === 'schedule' ||
  (pullRequest === undefined && event !== 'pull-request' && (branch === undefined || branches.includes(branch)));

export const publishedBranches = ['main', 'master'];

export function annotationsOf({ commit, branch, event, pullRequest, buildUrl, repeats }: AnnotationRow): Annotations {
  const all = { commit, branch, event, pullRequest, buildUrl, repeats: repeats === null ? null : String(repeats) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Annotations;
}

/** @returns draws the next number of a campaign's events, visits and log lines alike: part of the transaction that stores one. */
export function createEventIds(database: Database): (campaignId: number) => number {
  const draw = database
    .prepare<[number], number>('UPDATE campaign_progress SET eventId = eventId + 1 WHERE campaignId = ? RETURNING eventId')
    .pluck();
  return (campaignId) => draw.get(campaignId) ?? 0;
}
