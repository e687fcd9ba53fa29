// How the rounds of former campaigns went: how long they took, and how much they differed.

import { setupKey } from '@pronghorn/core/campaign';
import { conditionKey } from '@pronghorn/core/network';
import type { CampaignSpec, MetricName, Site } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { Statement } from 'better-sqlite3';
import type { CompleteCampaign } from '../plugins/app/spec/campaign-spec.ts';
import { remembered } from '../shared/remembered.ts';
import type { Database } from '../storage/database.ts';

/** What a round loaded, and how long each of its slots took. @param condition what it does, as of `conditionKey`. */
export type TimedRound = { siteId: number; condition: string; view: View; slotMs: number };
/** Of one round that counts, the metric by protocol; of slots that share a protocol the mean. */
export type PairedRound = { siteId: number; condition: string; view: View; h2: number; h3: number };
/** A campaign with valid visits, and in what way and from where it measures, as of `setupKey`. `visitsValid` grows while it runs. */
export type FormerCampaign = { id: number; visitsValid: number; setup: string };

/** More campaigns of a page, or more rounds of a campaign, would tell of last month. */
const newestCampaigns = 50;
const maxRounds = 5_000;
/** Sites of one request that are looked up. */
const maxSites = 100;

/** Reads alone: a campaign's preview is asked for while somebody types. */
export function createFormerRoundsRepository(database: Database) {
  const selectSite = database.prepare<[string, number], { id: number }>('SELECT id FROM sites WHERE url = ? AND expectStatus = ?');
  const selectCampaigns = database.prepare<[string], { id: number; visitsValid: number }>(
    `SELECT id, visitsValid FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id
     WHERE deletedAt IS NULL AND visitsValid > 0
       AND id IN (SELECT campaignId FROM campaign_sites WHERE siteId IN (SELECT value FROM json_each(?)))
     ORDER BY id DESC LIMIT ${newestCampaigns}`,
  );
  const selectSpec = database.prepare<[number], { spec: string; location: string | null }>(
    'SELECT spec, location FROM campaigns WHERE id = ?',
  );
  const selectOwn = database.prepare<[number], { own: string }>(
    'SELECT own FROM campaign_sites WHERE campaignId = ? AND own IS NOT NULL ORDER BY place',
  );
  const took = '(endedAt - leasedAt) * 1.0 / json_array_length(slotOrder) AS slotMs';
  const selectTimed = database.prepare<[number], TimedRound>(
    `SELECT siteId, condition, view, ${took} FROM rounds JOIN leases ON leases.roundId = rounds.id AND leases.attempt = rounds.attempt
     WHERE rounds.campaignId = ? AND rounds.state = 'done' AND leases.state = 'completed' AND endedAt > 0 LIMIT ${maxRounds}`,
  );
  const selectLatest = database.prepare<[number], TimedRound & { campaignId: number }>(
    `SELECT campaignId, siteId, condition, view, ${took} FROM leases JOIN rounds ON rounds.id = roundId
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
       WHERE rounds.campaignId = ? AND rounds.state = 'done' GROUP BY rounds.id HAVING h2 > 0 AND h3 > 0 LIMIT ${maxRounds}`,
    );
    selectPaired.set(metric, made);
    return made;
  }

  /** A campaign's specification and its location never change. */
  const kept = remembered<{ setup: string; conditions: Map<string, string> }>(200);
  const waysOf = (campaignId: number) =>
    kept(String(campaignId), () => {
      const row = selectSpec.get(campaignId) ?? { spec: '{"conditions":[],"limits":{}}', location: null };
      const spec = JSON.parse(row.spec) as CampaignSpec;
      const sites = selectOwn.all(campaignId).map(({ own }) => JSON.parse(own) as Pick<Site, 'visitor' | 'workload'>);
      return {
        setup: setupKey({ spec, sites, location: row.location }),
        conditions: new Map(spec.conditions.map((condition) => [condition.name, conditionKey(condition)])),
      };
    });
  const keyed = <Round extends { condition: string }>(campaignId: number, rounds: readonly Round[]): Round[] => {
    const { conditions } = waysOf(campaignId);
    return rounds.map((round) => ({ ...round, condition: conditions.get(round.condition) ?? '' }));
  };

  return {
    /** The row of each site that was measured or asked for before; of long lists the first hundred. */
    siteIds: (sites: CompleteCampaign['sites']): (number | null)[] =>
      sites.slice(0, maxSites).map(({ url, expectStatus }) => selectSite.get(url, expectStatus)?.id ?? null),
    /** That have any of these sites and any valid visit; newest first, some tens. */
    campaignsOf: (siteIds: readonly number[]): FormerCampaign[] =>
      selectCampaigns.all(JSON.stringify(siteIds)).map((campaign) => ({ ...campaign, setup: waysOf(campaign.id).setup })),
    timed: (campaignId: number): TimedRound[] => keyed(campaignId, selectTimed.all(campaignId)),
    /** Of all campaigns the newest first. */
    latest: (limit: number): (TimedRound & { setup: string })[] =>
      selectLatest.all(limit).map(({ campaignId, condition, ...round }) => {
        const { setup, conditions } = waysOf(campaignId);
        return { ...round, setup, condition: conditions.get(condition) ?? '' };
      }),
    paired: (campaignId: number, metric: MetricName): PairedRound[] => keyed(campaignId, pairedBy(metric).all(campaignId)),
  };
}
export type FormerRoundsRepository = ReturnType<typeof createFormerRoundsRepository>;
