// Owns the table site_results: what lists of sites show of campaigns that are done.
import { resultsVersion } from '@pronghorn/core/campaign';
import type { MetricName, SiteStatus } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Database } from '../storage/database.ts';

/** What is read together of a cell, as it is kept. */
export type CellDigest = Pick<NonNullable<SiteStatus['now']>, 'medians' | 'failures' | 'comparison'>;

/** A cell of a campaign that is done. */
export type SiteResult = {
  siteId: number;
  place: number;
  /** 0: of a proposed change; 1: of what is published; 2: that also compares h3 with h2, or measures as a schedule asks. */
  standing: 0 | 1 | 2;
  condition: string;
  view: View;
  metric: MetricName;
  setup: string;
  createdAt: string;
  h2: number | null;
  h3: number | null;
  notLoaded: string | null;
  /** Whether any cell of the site in the campaign was loaded by no visit, or by none over one of the protocols. */
  lost: boolean;
  answer: CellDigest;
};
/** Without what takes long to read. */
export type NewestResult = Pick<SiteResult, 'place' | 'condition' | 'view' | 'metric' | 'setup' | 'notLoaded'> & {
  campaignId: number;
  lost: 0 | 1;
};
export type CellResult = Pick<SiteResult, 'place' | 'condition' | 'view' | 'notLoaded' | 'answer'>;

/** Those over which loads count, and all failed. */
export const lostProtocols = (failures: CellDigest['failures']): Protocol[] =>
  Object.entries(failures).flatMap(([protocol, { failed, loads }]) => (loads > 0 && failed === loads ? [protocol as Protocol] : []));

/** Null: any. */
export type ResultFilter = { condition: string | null; metric: MetricName | null };

export type SiteResultsRepository = ReturnType<typeof createSiteResultsRepository>;

export function createSiteResultsRepository(database: Database) {
  type Row = Omit<SiteResult, 'lost' | 'answer'> & { campaignId: number; version: number; lost: 0 | 1; answer: string };
  const insert = database.prepare<Row>(
    `INSERT INTO site_results (siteId, campaignId, place, version, standing, condition, view, metric, setup, createdAt, h2, h3, notLoaded, lost, answer)
     VALUES (@siteId, @campaignId, @place, @version, @standing, @condition, @view, @metric, @setup, @createdAt, @h2, @h3, @notLoaded, @lost, @answer)`,
  );
  const removeOf = database.prepare<[number]>('DELETE FROM site_results WHERE campaignId = ?');
  const there = `EXISTS (SELECT 1 FROM campaigns INDEXED BY campaigns_listed WHERE campaigns.id = campaignId AND deletedAt IS NULL)`;
  const narrow = 'campaignId, place, condition, view, metric, setup, notLoaded, lost';
  const selectNewest = database.prepare<[number], NewestResult>(
    `SELECT ${narrow} FROM site_results INDEXED BY site_results_newest WHERE siteId = ? AND version = ${resultsVersion} AND ${there}
     ORDER BY standing DESC, campaignId DESC, place LIMIT 1`,
  );
  // From one setup of the site to the next in the index, and of each the newest campaign: a year of nights has a handful of setups.
  const selectNewestOfSetups = database.prepare<ResultFilter & { siteId: number }, NewestResult>(
    `WITH RECURSIVE setups (its) AS (
       SELECT min(setup) FROM site_results WHERE siteId = @siteId
       UNION ALL SELECT (SELECT min(setup) FROM site_results WHERE siteId = @siteId AND setup > its) FROM setups WHERE its IS NOT NULL)
     SELECT ${narrow} FROM setups CROSS JOIN site_results ON siteId = @siteId AND setup = its AND campaignId = (
       SELECT campaignId FROM site_results INDEXED BY site_results_points
       WHERE siteId = @siteId AND setup = its AND ${there} ORDER BY createdAt DESC LIMIT 1)
     WHERE version = ${resultsVersion} AND (@condition IS NULL OR condition = @condition) AND (@metric IS NULL OR metric = @metric)
     ORDER BY standing DESC, campaignId DESC, place LIMIT 1`,
  );
  const selectCells = database.prepare<[number, number], Omit<CellResult, 'answer'> & { answer: string }>(
    'SELECT place, condition, view, notLoaded, answer FROM site_results WHERE siteId = ? AND campaignId = ? ORDER BY place',
  );
  const selectAlike = database
    .prepare<[number, number, number], string>(
      `SELECT condition FROM site_results WHERE siteId = ? AND campaignId = ? AND setup IN (
         SELECT setup FROM site_results AS other WHERE other.siteId = site_results.siteId AND other.campaignId = ?)`,
    )
    .pluck();
  const selectPoints = database.prepare<[number, string, string], { campaignId: number; at: string; h2: number | null; h3: number | null }>(
    `SELECT campaignId, createdAt AS at, h2, h3 FROM site_results INDEXED BY site_results_points
     WHERE siteId = ? AND setup = ? AND createdAt >= ? AND ${there} ORDER BY createdAt, campaignId`,
  );
  const selectChoices = database.prepare<[number, number], { condition: string; metric: MetricName }>(
    'SELECT DISTINCT condition, metric FROM site_results WHERE siteId = ? AND campaignId = ?',
  );

  const removeSome = database.prepare<[number, number]>(
    `DELETE FROM site_results WHERE (siteId, campaignId, place) IN (
       SELECT siteId, campaignId, place FROM site_results INDEXED BY site_results_of_campaign WHERE campaignId = ? LIMIT ?)`,
  );

  return {
    /** Takes the place of what was kept of a campaign. Part of the transaction that keeps its summary. */
    put(campaignId: number, results: readonly SiteResult[]): void {
      removeOf.run(campaignId);
      for (const { lost, answer, ...result } of results) {
        insert.run({ ...result, campaignId, version: resultsVersion, lost: lost ? 1 : 0, answer: JSON.stringify(answer) });
      }
    },
    /** @returns how many rows went: fewer than `atMost` when none is left. */
    deleteSome: (campaignId: number, atMost: number): number => removeSome.run(campaignId, atMost).changes,
    /** The first cell of the newest campaign, of those that stand highest. */
    newest: (siteId: number, filter: ResultFilter): NewestResult | undefined =>
      filter.condition !== null || filter.metric !== null ? selectNewestOfSetups.get({ siteId, ...filter }) : selectNewest.get(siteId),
    /** Of a site in a campaign, in the order of its summary. */
    cells: (siteId: number, campaignId: number): CellResult[] =>
      selectCells.all(siteId, campaignId).map(({ answer, ...cell }) => ({ ...cell, answer: JSON.parse(answer) as CellDigest })),
    /** The conditions under which two campaigns measured a site in the same way. */
    alike: (siteId: number, campaignId: number, other: number): Set<string> => new Set(selectAlike.all(siteId, campaignId, other)),
    /** Of one setup, oldest first. @param since ISO 8601. */
    points: (siteId: number, setup: string, since: string) => selectPoints.all(siteId, setup, since),
    /** What a campaign measured a site under, and by which metric. */
    choices: (siteId: number, campaignId: number) => selectChoices.all(siteId, campaignId),
  };
}
