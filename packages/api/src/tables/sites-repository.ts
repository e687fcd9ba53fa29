import type { KnownSite, Page } from '@pronghorn/core/schemas';
import type { Engine } from '@pronghorn/core/vocabulary';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

type Row = { id: number; url: string; expectStatus: number; name: string; campaigns: number; newest: number; engine: Engine };

/** Reads what is known of sites over campaigns. A site without a campaign (all were deleted) is none. */
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
  const selectUrl = database.prepare<[number], { url: string }>('SELECT url FROM sites WHERE id = ?');

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
  });

  return {
    find(siteId: number): KnownSite | undefined {
      const row = select.get(siteId);
      return row && toSite(row);
    },
    urlOf: (siteId: number): string | undefined => selectUrl.get(siteId)?.url,

    /** Those that were made last come first. @param search part of a URL or name, in any case; null: any. */
    page(search: string | null, { limit, cursor }: Slice): Page<KnownSite> {
      return pageOf(selectPage.all({ search, cursor, limit }), limit, toSite, (row) => row.id);
    },
  };
}
