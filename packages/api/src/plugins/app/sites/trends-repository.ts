import type { MetricName, Protocol, TrendCampaign, View } from '@pronghorn/core';
import type { Statement } from 'better-sqlite3';
import type { Database } from '../../../storage/database.ts';
import { createNightsRepository } from '../schedules/nights-repository.ts';

/** Null: any; times are ISO 8601, of when campaigns were made. */
export type TrendFilter = {
  condition: string | null;
  protocol: Protocol | null;
  view: View | null;
  branch: string | null;
  since: string | null;
  until: string | null;
};

type CampaignRow = Pick<TrendCampaign, 'createdAt' | 'state' | 'location'> & {
  id: number;
  commit: string | null;
  branch: string | null;
  buildUrl: string | null;
  conditions: string;
} & Omit<TrendCampaign['spec'], 'conditions'>;
type ValueRow = { condition: string; view: View; protocol: Protocol; value: number };
type Wanted = Pick<TrendFilter, 'condition' | 'protocol' | 'view'> & { campaignId: number; siteId: number };

/** Reads one metric of a site over campaigns; of each campaign only the site's own visits are read. */
export function createTrendsRepository(database: Database) {
  const selectCampaigns = database.prepare<
    Omit<TrendFilter, 'condition' | 'protocol' | 'view'> & { siteId: number; limit: number },
    CampaignRow
  >(
    `SELECT * FROM (
       SELECT campaigns.id, createdAt, state, location, "commit", branch, buildUrl, spec -> '$.conditions' AS conditions,
         spec ->> '$.engine' AS engine, spec ->> '$.discovery' AS discovery, spec ->> '$.isolation' AS isolation, spec ->> '$.browser' AS browser
       FROM campaign_sites JOIN campaigns ON campaigns.id = campaignId
       WHERE siteId = @siteId AND deletedAt IS NULL AND (@branch IS NULL OR branch = @branch)
         AND (@since IS NULL OR createdAt >= @since) AND (@until IS NULL OR createdAt < @until)
       ORDER BY campaigns.id DESC LIMIT @limit)
     ORDER BY id`,
  );
  const findingsOf = createNightsRepository(database).findings;
  const selectValues = new Map<MetricName, Statement<[Wanted], ValueRow>>();
  function valuesOf(metric: MetricName): Statement<[Wanted], ValueRow> {
    const known = selectValues.get(metric);
    if (known) return known;
    const made = database.prepare<[Wanted], ValueRow>(
      `SELECT condition, view, protocol, ${metric} AS value
       FROM rounds JOIN visits INDEXED BY visits_counted_once ON roundId = rounds.id AND counted = 1
       WHERE rounds.campaignId = @campaignId AND siteId = @siteId AND ${metric} IS NOT NULL
         AND (@condition IS NULL OR condition = @condition) AND (@view IS NULL OR view = @view) AND (@protocol IS NULL OR protocol = @protocol)`,
    );
    selectValues.set(metric, made);
    return made;
  }

  /** @param campaigns how many, the newest. @returns the oldest first. */
  return function* ofSite(siteId: number, metric: MetricName, filter: TrendFilter, campaigns: number): Generator<TrendCampaign> {
    const { condition, protocol, view, ...which } = filter;
    for (const row of selectCampaigns.all({ ...which, siteId, limit: campaigns })) {
      const { id, createdAt, state, location, commit, branch, buildUrl, conditions, ...how } = row;
      yield {
        id: String(id),
        ...{ createdAt, state, location },
        annotations: {
          ...(commit === null ? {} : { commit }),
          ...(branch === null ? {} : { branch }),
          ...(buildUrl === null ? {} : { buildUrl }),
        },
        spec: { ...how, conditions: JSON.parse(conditions) },
        regressions: findingsOf(id)?.regressions.filter((one) => one.siteId === String(siteId)) ?? [],
        visits: valuesOf(metric).all({ campaignId: id, siteId, condition, protocol, view }),
      };
    }
  };
}
