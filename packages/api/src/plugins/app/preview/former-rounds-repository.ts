// How the rounds of former campaigns went: how long they took, and how much they differed.
import type { MetricName, Protocol, Site, View } from '@pronghorn/core';
import type { Statement } from 'better-sqlite3';
import type { Database } from '../../../storage/database.ts';

/** What a round loaded, and how long each of its slots took. */
export type TimedRound = { siteId: number; condition: string; view: View; slotMs: number };
/** Of one round that counts, the metric by protocol; of slots that share a protocol the mean. */
export type PairedRound = { siteId: number; condition: string; view: View; h2: number; h3: number };

/** More campaigns of a page, or more rounds of a campaign, would tell of last month. */
const newestCampaigns = 5;
const mostRounds = 5_000;
/** Sites of one request that are looked up. */
const mostSites = 100;

/** Reads alone: a campaign's preview is asked for while somebody types. */
export function createFormerRoundsRepository(database: Database) {
  const selectSite = database.prepare<[string, number], { id: number }>('SELECT id FROM sites WHERE url = ? AND expectStatus = ?');
  const selectCampaigns = database.prepare<[string], { id: number; visitsValid: number }>(
    `SELECT id, visitsValid FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id
     WHERE deletedAt IS NULL AND visitsValid > 0
       AND id IN (SELECT campaignId FROM campaign_sites WHERE siteId IN (SELECT value FROM json_each(?)))
     ORDER BY id DESC LIMIT ${newestCampaigns}`,
  );
  const took = '(endedAt - leasedAt) * 1.0 / json_array_length(slotOrder) AS slotMs';
  const selectTimed = database.prepare<[number], TimedRound>(
    `SELECT siteId, condition, view, ${took} FROM rounds JOIN leases ON leases.roundId = rounds.id AND leases.attempt = rounds.attempt
     WHERE rounds.campaignId = ? AND rounds.state = 'done' AND leases.state = 'completed' AND endedAt > 0 LIMIT ${mostRounds}`,
  );
  const selectLatest = database.prepare<[number], TimedRound>(
    `SELECT siteId, condition, view, ${took} FROM leases JOIN rounds ON rounds.id = roundId
     WHERE leases.state = 'completed' AND endedAt > 0 ORDER BY endedAt DESC LIMIT ?`,
  );
  const selectPaired = new Map<MetricName, Statement<[number], PairedRound>>();
  function pairedBy(metric: MetricName): Statement<[number], PairedRound> {
    const known = selectPaired.get(metric);
    if (known) return known;
    const of = (protocol: Protocol) => `avg(CASE WHEN protocol = '${protocol}' THEN ${metric} END)`;
    const made = database.prepare<[number], PairedRound>(
      `SELECT siteId, condition, view, ${of('h2')} AS h2, ${of('h3')} AS h3
       FROM rounds JOIN visits INDEXED BY visits_counted_once ON roundId = rounds.id AND counted = 1
       WHERE rounds.campaignId = ? AND rounds.state = 'done' GROUP BY rounds.id HAVING h2 > 0 AND h3 > 0 LIMIT ${mostRounds}`,
    );
    selectPaired.set(metric, made);
    return made;
  }

  return {
    /** The row of each site that was measured or asked for before; of long lists the first hundred. */
    siteIds: (sites: readonly Omit<Site, 'id'>[]): (number | null)[] =>
      sites.slice(0, mostSites).map(({ url, expectStatus }) => selectSite.get(url, expectStatus)?.id ?? null),
    /** That have any of these sites and any valid visit; newest first, a few. `visitsValid` grows while they run. */
    campaignsOf: (siteIds: readonly number[]): { id: number; visitsValid: number }[] => selectCampaigns.all(JSON.stringify(siteIds)),
    timed: (campaignId: number): TimedRound[] => selectTimed.all(campaignId),
    latest: (limit: number): TimedRound[] => selectLatest.all(limit),
    paired: (campaignId: number, metric: MetricName): PairedRound[] => pairedBy(metric).all(campaignId),
  };
}
export type FormerRoundsRepository = ReturnType<typeof createFormerRoundsRepository>;
