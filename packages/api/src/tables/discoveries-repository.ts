import type { DiscoveryFacts } from '@pronghorn/core/campaign';
import type { Page, SiteDiscovery } from '@pronghorn/core/schemas';
import { canonicalJson } from '../storage/canonical-json.ts';
import type { Database } from '../storage/database.ts';
import { pageWithin, rowId, type Slice } from '../storage/page.ts';

type Row = { seq: number; document: string };

export type DiscoveriesRepository = ReturnType<typeof createDiscoveriesRepository>;

/** Owns the table discoveries. */
export function createDiscoveriesRepository(database: Database) {
  const insert = database.prepare<[string, number, number, string]>(
    'INSERT INTO discoveries (id, campaignId, siteId, document) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const select = database.prepare<[string], Row>('SELECT seq, document FROM discoveries WHERE id = ?');
  const selectKnown = database.prepare<[string], Row>(
    `SELECT seq, document FROM discoveries WHERE id = ?
     AND EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = campaignId AND deletedAt IS NULL)`,
  );
  const selectCampaign = database.prepare<[string], { campaignId: number }>('SELECT campaignId FROM discoveries WHERE id = ?');
  const selectSite = database.prepare<[number, number]>('SELECT 1 FROM campaign_sites WHERE campaignId = ? AND siteId = ?');
  const selectPage = database.prepare<{ campaignId: number; cursor: number | null; limit: number }, Row>(
    'SELECT seq, document FROM discoveries WHERE campaignId = @campaignId AND seq > coalesce(@cursor, 0) ORDER BY seq LIMIT @limit + 1',
  );
  const selectAll = database.prepare<[number], Row>('SELECT seq, document FROM discoveries WHERE campaignId = ? ORDER BY seq');
  const selectFacts = database.prepare<[number], { facts: string }>(
    `SELECT json_object('id', id, 'siteId', document ->> 'siteId', 'replaces', document ->> 'replaces', 'finalUrl', document ->> 'finalUrl',
       'failure', document -> 'failure', 'broken', document -> 'broken', 'answers',
       json((SELECT json_group_array(json(value)) FROM json_each(document, '$.answers') WHERE value ->> 'answer' = 'failed'))) AS facts
     FROM discoveries WHERE campaignId = ? ORDER BY seq`,
  );
  const toDiscovery = (row: Row) => JSON.parse(row.document) as SiteDiscovery;
  const pageAfter = (campaignId: number, limit: number, cursor: number | null): Page<SiteDiscovery> =>
    pageWithin(
      selectPage.iterate({ campaignId, cursor, limit }),
      limit,
      ({ document }) => document.length,
      toDiscovery,
      ({ seq }) => seq,
    );
  const some = 'SELECT seq FROM discoveries WHERE campaignId = ? ORDER BY seq LIMIT ?';
  const forget = database.prepare<[number, number]>(
    `UPDATE visits SET discoveryId = NULL WHERE discoveryId IN (SELECT id FROM discoveries WHERE seq IN (${some}))`,
  );
  const deleteSome = database.prepare<[number, number]>(`DELETE FROM discoveries WHERE seq IN (${some})`);

  return {
    /** Stores it unless it is there. @returns as of environments; 'no-site' when its campaign has no such site. */
    put(discovery: SiteDiscovery): 'new' | 'same' | 'different' | 'no-site' {
      const [campaignId, siteId] = [rowId(discovery.campaignId), rowId(discovery.siteId)];
      if (!selectSite.get(campaignId, siteId)) return 'no-site';
      const document = canonicalJson(discovery);
      if (insert.run(discovery.id, campaignId, siteId, document).changes === 1) return 'new';
      return select.get(discovery.id)?.document === document ? 'same' : 'different';
    },

    find(id: string): SiteDiscovery | undefined {
      const row = selectKnown.get(id);
      return row && toDiscovery(row);
    },

    /** In the order of their arrival. */
    *ofCampaign(campaignId: number): Generator<SiteDiscovery> {
      for (const row of selectAll.iterate(campaignId)) yield toDiscovery(row);
    },

    /** The same, without what only visits need: of long pages that is most of it. */
    *facts(campaignId: number): Generator<DiscoveryFacts> {
      for (const { facts } of selectFacts.iterate(campaignId)) {
        const { broken, ...known } = JSON.parse(facts) as DiscoveryFacts & { broken: string[] | null };
        yield broken === null ? known : { ...known, broken };
      }
    },

    /** The next so many after one of them, or fewer where they are long. @param after its id; undefined, or unknown: from the first */
    after: (campaignId: number, after: string | undefined, limit: number): SiteDiscovery[] =>
      pageAfter(campaignId, limit, (after === undefined ? undefined : select.get(after)?.seq) ?? null).items,

    campaignOf: (id: string): number | undefined => selectCampaign.get(id)?.campaignId,

    /** Of a campaign, so many. A visit that refers to one, whosever it is, loses the reference and keeps nothing. @returns how many there were. */
    deleteSome(campaignId: number, atMost: number): number {
      forget.run(campaignId, atMost);
      return deleteSome.run(campaignId, atMost).changes;
    },

    /** In the order of their arrival. */
    page: (campaignId: number, { limit, cursor }: Slice): Page<SiteDiscovery> => pageAfter(campaignId, limit, cursor),
  };
}
