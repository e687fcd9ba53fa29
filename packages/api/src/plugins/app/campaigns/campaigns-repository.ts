import type { Annotations, Campaign, CampaignSpec, CampaignState, Page, Priority, Site } from '@pronghorn/core';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

declare module 'fastify' {
  interface FastifyInstance {
    campaigns: CampaignsRepository;
  }
}

/** Who asked for a campaign, how urgently, where, and for which state of the pages. */
export type Circumstances = { priority: Priority; location: string | null; annotations: Annotations; createdBy: string | null };

type Row = {
  id: number;
  createdAt: string;
  finishedAt: string | null;
  createdBy: string | null;
  priority: Priority;
  location: string | null;
  commit: string | null;
  branch: string | null;
  buildUrl: string | null;
  state: CampaignState;
  spec: string;
};
type SiteRow = { id: number; url: string; name: string; expectStatus: number };

/** Owns the tables campaigns, sites and campaign_sites. */
export type CampaignsRepository = ReturnType<typeof createCampaignsRepository>;

export function createCampaignsRepository(database: Database) {
  const insertCampaign = database.prepare<Omit<Row, 'id' | 'state' | 'finishedAt'>>(
    `INSERT INTO campaigns (createdAt, createdBy, priority, location, "commit", branch, buildUrl, state, spec)
     VALUES (@createdAt, @createdBy, @priority, @location, @commit, @branch, @buildUrl, 'queued', @spec)`,
  );
  const insertSite = database.prepare<[string, number]>('INSERT INTO sites (url, expectStatus) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const findSite = database.prepare<[string, number], { id: number }>('SELECT id FROM sites WHERE url = ? AND expectStatus = ?');
  const insertCampaignSite = database.prepare<[number, number, number, string]>(
    'INSERT INTO campaign_sites (campaignId, place, siteId, name) VALUES (?, ?, ?, ?)',
  );
  const select = database.prepare<[number], Row>('SELECT * FROM campaigns WHERE id = ?');
  const selectNewest = database.prepare<{ cursor: number | null; limit: number }, Row>(
    'SELECT * FROM campaigns WHERE @cursor IS NULL OR id < @cursor ORDER BY id DESC LIMIT @limit + 1',
  );
  const selectSites = database.prepare<[number], SiteRow>(
    `SELECT sites.id, sites.url, campaign_sites.name, sites.expectStatus FROM campaign_sites JOIN sites ON sites.id = siteId
     WHERE campaignId = ? ORDER BY place`,
  );
  const countRounds = database.prepare<[number], { rounds: number; roundsDone: number }>(
    `SELECT count(*) AS rounds, count(*) FILTER (WHERE state IN ('done', 'cancelled')) AS roundsDone FROM rounds WHERE campaignId = ?`,
  );
  // Of the attempt that finished the round, or may yet: what lost attempts left behind is no progress.
  const countVisits = database.prepare<[number], { visitsValid: number; visitsInvalid: number }>(
    `SELECT count(*) FILTER (WHERE verdict = 'valid') AS visitsValid, count(*) FILTER (WHERE verdict = 'invalid') AS visitsInvalid
     FROM rounds JOIN visits ON visits.roundId = rounds.id AND visits.attempt = rounds.attempt
     WHERE rounds.campaignId = ? AND rounds.state IN ('leased', 'done')`,
  );
  const updateState = database.prepare<[CampaignState, string | null, number]>(
    'UPDATE campaigns SET state = ?, finishedAt = ? WHERE id = ?',
  );

  const sitesOf = (campaignId: number): Site[] => selectSites.all(campaignId).map((row) => ({ ...row, id: String(row.id) }));

  const toCampaign = ({
    id,
    createdAt,
    finishedAt,
    createdBy,
    priority,
    location,
    commit,
    branch,
    buildUrl,
    state,
    spec,
  }: Row): Campaign => ({
    id: String(id),
    createdAt,
    finishedAt,
    createdBy,
    priority,
    location,
    annotations: {
      ...(commit === null ? {} : { commit }),
      ...(branch === null ? {} : { branch }),
      ...(buildUrl === null ? {} : { buildUrl }),
    },
    state,
    spec: JSON.parse(spec) as CampaignSpec,
    sites: sitesOf(id),
    progress: {
      ...(countRounds.get(id) ?? { rounds: 0, roundsDone: 0 }),
      ...(countVisits.get(id) ?? { visitsValid: 0, visitsInvalid: 0 }),
    },
  });

  return {
    /**
     * @param sites in the order of the spec, every choice made.
     * @returns the row of the campaign, and of each site.
     */
    insert(
      spec: CampaignSpec,
      sites: readonly Omit<Site, 'id'>[],
      { annotations, ...circumstances }: Circumstances,
      createdAt: string,
    ): { campaignId: number; siteIds: number[] } {
      const { commit = null, branch = null, buildUrl = null } = annotations;
      const row = { ...circumstances, commit, branch, buildUrl, createdAt, spec: JSON.stringify(spec) };
      const campaignId = Number(insertCampaign.run(row).lastInsertRowid);
      const siteIds = sites.map(({ url, name, expectStatus }, place) => {
        insertSite.run(url, expectStatus);
        const siteId = findSite.get(url, expectStatus)?.id ?? 0;
        insertCampaignSite.run(campaignId, place, siteId, name);
        return siteId;
      });
      return { campaignId, siteIds };
    },

    find(id: string): Campaign | undefined {
      const row = select.get(rowId(id));
      return row && toCampaign(row);
    },

    /** What is asked for, without counting how far it is. */
    findSpec(campaignId: number): { state: CampaignState; spec: CampaignSpec; sites: Site[] } | undefined {
      const row = select.get(campaignId);
      return row && { state: row.state, spec: JSON.parse(row.spec) as CampaignSpec, sites: sitesOf(campaignId) };
    },

    /** Newest first. */
    page({ limit, cursor }: Slice): Page<Campaign> {
      return pageOf(selectNewest.all({ cursor, limit }), limit, toCampaign, (row) => row.id);
    },

    /** @param finishedAt ISO 8601, of one that is done; null: unknown, or it is not. */
    setState(campaignId: number, state: CampaignState, finishedAt: string | null = null): void {
      updateState.run(state, finishedAt, campaignId);
    },
  };
}

export default fp(
  async (app) => {
    app.decorate('campaigns', createCampaignsRepository(app.database));
  },
  { name: 'campaigns-repository', dependencies: ['sqlite'] },
);
