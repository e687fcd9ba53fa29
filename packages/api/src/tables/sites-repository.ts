// Sites over all campaigns, and the trends of one.
import type { TrendCampaign } from '@pronghorn/core/campaign';
import type { CampaignSpec, KnownSite, MetricName, Page, Regression, Site, UsedTag } from '@pronghorn/core/schemas';
import { visitorOf } from '@pronghorn/core/visitor';
import { type Engine, isTime, type Protocol, type View } from '@pronghorn/core/vocabulary';
import type { Statement } from 'better-sqlite3';
import { found } from '../shared/problems.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';
import { type AnnotationRow, annotationsOf } from './campaigns-repository.ts';
import { createNightsRepository } from './schedules-repository.ts';
import { isolationReader } from './visits-repository.ts';

type Row = { id: number; url: string; expectStatus: number; name: string; campaigns: number; newest: number; engine: Engine };

/** With its newest campaign, and the name that it has there. */
export type ListedSite = { id: number; url: string; name: string; newest: number };

const urlReader = (database: Database) => database.prepare<[number], { url: string }>('SELECT url FROM sites WHERE id = ?');

/** Owns the table site_tags, and reads what is known of sites over campaigns. A site without a campaign (all were deleted) is none. */
export function createSitesRepository(database: Database) {
  const there = `EXISTS (SELECT 1 FROM campaigns INDEXED BY campaigns_listed WHERE id = campaignId AND deletedAt IS NULL)`;
  const readable = `SELECT sites.id, url, expectStatus, campaigns, newest,
      (SELECT name FROM campaign_sites WHERE campaignId = newest AND siteId = sites.id) AS name,
      (SELECT spec ->> 'engine' FROM campaigns WHERE id = newest) AS engine
    FROM (SELECT siteId, count(*) AS campaigns, max(campaignId) AS newest FROM campaign_sites WHERE SITE AND ${there} GROUP BY siteId)
    JOIN sites ON sites.id = siteId`;
  const select = database.prepare<[number], Row>(readable.replace('SITE', 'siteId = ?'));
  const selectPage = database.prepare<{ search: string | null; cursor: number | null; limit: number }, Row>(
    `${readable.replace(
      'SITE',
      `siteId IN (
         SELECT id FROM sites WHERE id < coalesce(@cursor, 9223372036854775807)
           AND EXISTS (SELECT 1 FROM campaign_sites WHERE siteId = sites.id AND ${there}
             AND (@search IS NULL OR instr(lower(url), lower(@search)) > 0 OR instr(lower(name), lower(@search)) > 0))
         ORDER BY id DESC LIMIT @limit + 1)`,
    )} ORDER BY sites.id DESC`,
  );
  const selectCampaigns = database.prepare<[number], { campaignId: number }>(
    `SELECT campaignId FROM campaign_sites WHERE siteId = ? AND ${there} ORDER BY campaignId DESC`,
  );
  const selectMeasured = database.prepare<[number, number], { startedAt: string }>(
    `SELECT startedAt FROM visits WHERE seq = (
       SELECT max(seq) FROM rounds JOIN visits ON roundId = rounds.id WHERE rounds.campaignId = ? AND siteId = ?)`,
  );
  const selectUrl = urlReader(database);
  const listedOf = (which: string) =>
    `SELECT id, url, newest, (SELECT name FROM campaign_sites WHERE campaignId = newest AND siteId = those.id) AS name
     FROM (SELECT id, url, (SELECT campaignId FROM campaign_sites WHERE siteId = sites.id AND EXISTS (
             SELECT 1 FROM campaigns INDEXED BY campaigns_listed WHERE campaigns.id = campaignId AND deletedAt IS NULL)
             ORDER BY campaignId DESC LIMIT 1) AS newest
           FROM sites ${which}) AS those
     WHERE newest IS NOT NULL`;
  const selectAll = database.prepare<[], ListedSite>(listedOf(''));
  const selectListed = database.prepare<[number], ListedSite>(listedOf('WHERE id = ?'));
  const selectEngine = database.prepare<[number], Engine>(`SELECT spec ->> '$.engine' FROM campaigns WHERE id = ?`).pluck();
  const selectTags = database.prepare<[number], string>('SELECT tag FROM site_tags WHERE siteId = ? ORDER BY tag').pluck();
  const selectAllTags = database.prepare<[], { siteId: number; tag: string }>('SELECT siteId, tag FROM site_tags ORDER BY tag');
  const selectUsedTags = database.prepare<[], UsedTag>(
    `SELECT tag, count(*) AS sites FROM site_tags WHERE EXISTS (SELECT 1 FROM campaign_sites WHERE campaign_sites.siteId = site_tags.siteId AND ${there})
     GROUP BY tag ORDER BY tag`,
  );
  const removeTags = database.prepare<[number]>('DELETE FROM site_tags WHERE siteId = ?');
  const insertTag = database.prepare<[string, number]>('INSERT INTO site_tags (tag, siteId) VALUES (?, ?)');

  /** Of its newest campaign that has any visit. */
  function lastMeasuredAt(siteId: number): string | null {
    for (const { campaignId } of selectCampaigns.all(siteId)) {
      const measured = selectMeasured.get(campaignId, siteId);
      if (measured) return measured.startedAt;
    }
    return null;
  }
  const toSite = ({ newest, id, ...row }: Row): KnownSite => ({
    id: String(id),
    ...row,
    newestCampaignId: String(newest),
    lastMeasuredAt: lastMeasuredAt(id),
    tags: selectTags.all(id),
  });

  return {
    find(siteId: number): KnownSite | undefined {
      const row = select.get(siteId);
      return row && toSite(row);
    },
    urlOf: (siteId: number): string | undefined => selectUrl.get(siteId)?.url,
    /** All of them. */
    listed: (): ListedSite[] => selectAll.all(),
    listedOne: (siteId: number): ListedSite | undefined => selectListed.get(siteId),
    /** Of a campaign. */
    engineOf: (campaignId: number): Engine => selectEngine.get(campaignId) ?? 'puppeteer',

    /** In alphabetical order, as all lists of tags. */
    tagsOf: (siteId: number): string[] => selectTags.all(siteId),
    tagsOfAll: (): Map<number, string[]> =>
      new Map([...Map.groupBy(selectAllTags.all(), ({ siteId }) => siteId)].map(([siteId, rows]) => [siteId, rows.map(({ tag }) => tag)])),
    usedTags: (): UsedTag[] => selectUsedTags.all(),
    setTags(siteId: number, tags: readonly string[]): void {
      removeTags.run(siteId);
      for (const tag of tags) insertTag.run(tag, siteId);
    },

    /** Those that were made last come first. @param search part of a URL or name, in any case; null: any. */
    page(search: string | null, { limit, cursor }: Slice): Page<KnownSite> {
      return pageOf(selectPage.all({ search, cursor, limit }), limit, toSite, (row) => row.id);
    },
  };
}

/** Null: any; times are ISO 8601, of when campaigns were made. */
export type TrendFilter = {
  condition: string | null;
  protocol: Protocol | null;
  view: View | null;
  branch: string | null;
  since: string | null;
  until: string | null;
};

type CampaignRow = Pick<TrendCampaign, 'createdAt' | 'state' | 'location'> & Omit<AnnotationRow, 'repeats'> & { id: number };
type ValueRow = { condition: string; view: View; protocol: Protocol; roundNumber: number; value: number; limitMs: number | null };
type Shared = Pick<TrendCampaign, 'spec' | 'sites'> & {
  regressions: Map<string, Regression[]>;
};
type Wanted = Pick<TrendFilter, 'condition' | 'protocol' | 'view'> & { campaignId: number; siteId: number };

/** Reads one metric of a site over campaigns; of each campaign only the site's own visits are read. */
export function createTrendsRepository(database: Database) {
  const selectCampaigns = database.prepare<
    Omit<TrendFilter, 'condition' | 'protocol' | 'view'> & { siteId: number; limit: number },
    CampaignRow
  >(
    `SELECT * FROM (
       SELECT campaigns.id, createdAt, state, location, "commit", branch, buildUrl, event, pullRequest
       FROM campaign_sites JOIN campaigns ON campaigns.id = campaignId
       WHERE siteId = @siteId AND deletedAt IS NULL AND (@branch IS NULL OR branch = @branch)
         AND (@since IS NULL OR createdAt >= @since) AND (@until IS NULL OR createdAt < @until)
       ORDER BY campaigns.id DESC LIMIT @limit)
     ORDER BY id`,
  );
  const selectSpec = database.prepare<[number], { spec: string; sites: number }>(
    'SELECT spec, (SELECT count(*) FROM campaign_sites WHERE campaignId = campaigns.id) AS sites FROM campaigns WHERE id = ?',
  );
  const selectUrl = urlReader(database);
  const selectOwn = database.prepare<[number, number], { own: string | null }>(
    'SELECT own FROM campaign_sites WHERE campaignId = ? AND siteId = ?',
  );
  const selectFinished = database.prepare<[number, number], { condition: string; view: View; number: number }>(
    `SELECT condition, view, number FROM rounds WHERE campaignId = ? AND siteId = ? AND state = 'done'`,
  );
  const isolationOf = isolationReader(database);
  const findingsOf = createNightsRepository(database).findings;
  const wanted =
    '(@condition IS NULL OR condition = @condition) AND (@view IS NULL OR view = @view) AND (@protocol IS NULL OR protocol = @protocol)';
  // 9e999 is how SQLite writes ∞. As `valueOfVisit` has it: −∞ for a valid visit that lacks the metric.
  const failures = `UNION ALL SELECT condition, view, protocol, number, 9e999, loadTimeoutMs, number, slot
    FROM rounds JOIN visits INDEXED BY visits_failed_once ON roundId = rounds.id AND failed = 1
    WHERE rounds.campaignId = @campaignId AND siteId = @siteId AND ${wanted}`;
  const selectValues = new Map<MetricName, Statement<[Wanted], ValueRow>>();
  function valuesOf(metric: MetricName): Statement<[Wanted], ValueRow> {
    const known = selectValues.get(metric);
    if (known) return known;
    const made = database.prepare<[Wanted], ValueRow>(
      `SELECT condition, view, protocol, number AS roundNumber, coalesce(${metric}, -9e999) AS value, NULL AS limitMs, number, slot
       FROM rounds JOIN visits INDEXED BY visits_counted_once ON roundId = rounds.id AND counted = 1
       WHERE rounds.campaignId = @campaignId AND siteId = @siteId AND ${wanted}
       ${isTime(metric) ? failures : ''}
       ORDER BY number, slot`,
    );
    selectValues.set(metric, made);
    return made;
  }

  /** What all sites of a campaign have in common, read once. */
  function sharedOf(campaignId: number): Shared {
    const row = found(selectSpec.get(campaignId), `campaign ${campaignId}`);
    const spec = JSON.parse(row.spec) as CampaignSpec;
    const regressions = Map.groupBy(findingsOf(campaignId)?.regressions ?? [], ({ siteId }) => siteId);
    return { spec, sites: row.sites, regressions };
  }

  /** The numbers of a site's finished rounds in a place; read when they are asked for, since few campaigns are. */
  function finishedIn(campaignId: number, siteId: number): TrendCampaign['finished'] {
    const keyOf = ({ condition, view }: Parameters<TrendCampaign['finished']>[0]) => `${condition} ${view}`;
    let known: Map<string, { number: number }[]> | undefined;
    return (place) => {
      known ??= Map.groupBy(selectFinished.all(campaignId, siteId), keyOf);
      return new Set(known.get(keyOf(place))?.map(({ number }) => number));
    };
  }

  /**
   * @param metric of which the series are.
   * @param campaigns how many of each site, the newest.
   * @returns reads the campaigns of a site, the oldest first; to be used within one transaction.
   */
  return (metric: MetricName, filter: TrendFilter, campaigns: number) => {
    const { condition, protocol, view, ...which } = filter;
    const known = new Map<number, Shared>();
    return function* ofSite(siteId: number): Generator<TrendCampaign> {
      for (const row of selectCampaigns.all({ ...which, siteId, limit: campaigns })) {
        const { id, createdAt, state, location } = row;
        const shared = known.get(id) ?? sharedOf(id);
        known.set(id, shared);
        const url = selectUrl.get(siteId)?.url ?? '';
        const own = JSON.parse(selectOwn.get(id, siteId)?.own ?? '{}') as Pick<Site, 'visitor' | 'workload'>;
        yield {
          id: String(id),
          ...{ createdAt, state, location },
          spec: shared.spec.isolation === 'auto' ? { ...shared.spec, isolation: isolationOf(id, siteId) ?? 'auto' } : shared.spec,
          sites: shared.sites,
          site: { url, ...(own.workload === undefined ? {} : { workload: own.workload }) },
          ...(own.visitor === undefined ? {} : { visitor: visitorOf(shared.spec, own) }),
          annotations: annotationsOf({ ...row, repeats: null }),
          regressions: shared.regressions.get(String(siteId)) ?? [],
          finished: finishedIn(id, siteId),
          visits: valuesOf(metric).all({ campaignId: id, siteId, condition, protocol, view }),
        };
      }
    };
  };
}
