// What results were computed from, as a short text: kept results of another version are not served.
import { resultsVersion } from '@pronghorn/core/campaign';
import type { CampaignState } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../store/tables.ts';

/** The newest of a campaign, and of what was computed of it before. */
export type CampaignVersion = {
  state: CampaignState;
  /** Of results: finished rounds, link checks, whether the campaign is complete, and `resultsVersion`. */
  results: string;
  /** Of a summary: also the campaign's state and progress. */
  summary: string;
};

type Row = {
  state: CampaignState;
  queued: number;
  leased: number;
  cancelled: number;
  visitsValid: number;
  visitsInvalid: number;
  stamp: string;
};

/** Takes two look-ups in indexes, whatever the size of the campaign. */
export function createVersions(database: Database): (campaignId: number) => CampaignVersion | undefined {
  const select = database.prepare<[number], Row>(
    `SELECT state, queued, leased, cancelled, visitsValid, visitsInvalid, stamp
     FROM campaigns JOIN campaign_progress ON campaignId = campaigns.id WHERE campaigns.id = ? AND deletedAt IS NULL`,
  );
  return (campaignId) => {
    const row = select.get(campaignId);
    if (!row) return undefined;
    const { state, queued, leased, cancelled, visitsValid, visitsInvalid, stamp } = row;
    // A finished round's visits never change, and it stays finished.
    const results = [resultsVersion, stamp, state === 'done' ? 'complete' : 'open'].join('.');
    return { state, results, summary: [results, state, queued, leased, cancelled, visitsValid, visitsInvalid].join('.') };
  };
}

/** Campaigns that are done and whose summary is not kept, or as another version of the statistics gave it; the newest first. */
export function createUnsummarised(database: Database): (atMost: number) => number[] {
  const select = database
    .prepare<[number], number>(
      `SELECT campaigns.id FROM campaigns INDEXED BY campaigns_listed JOIN campaign_progress ON campaign_progress.campaignId = campaigns.id
       WHERE deletedAt IS NULL AND state = 'done' AND NOT EXISTS (
         SELECT 1 FROM results INDEXED BY results_whole
         WHERE results.campaignId = campaigns.id AND kind = 'summary' AND baselineId IS NULL AND metric IS NULL AND siteId IS NULL AND document IS NOT NULL
           AND version = concat_ws('.', ${resultsVersion}, stamp, 'complete', 'done', queued, leased, cancelled, visitsValid, visitsInvalid))
       ORDER BY campaigns.id DESC LIMIT ?`,
    )
    .pluck();
  return (atMost) => select.all(atMost);
}

/** Of a comparison of two campaigns: its doubts name the state of each. */
export const versionOfBoth = (campaign: CampaignVersion, baseline: CampaignVersion): string =>
  [campaign, baseline].map(({ results, state }) => `${results}.${state}`).join(' ');

/** Such a version without rounds and link checks: `resultsVersion` and the state of each campaign. */
export const withoutStamps = (both: string): string =>
  both
    .split(' ')
    .map((version) => version.split('.'))
    .map((parts) => `${parts[0]}.${parts.at(-1)}`)
    .join(' ');

export const createResultReads = ({ resultVersionOf, unsummarised }: Pick<Tables, 'resultVersionOf' | 'unsummarised'>) => ({
  version: resultVersionOf,
  unsummarised,
  /** Without campaigns that are not there. */
  versions: (campaignIds: readonly number[]): Map<number, CampaignVersion> =>
    new Map(campaignIds.flatMap((id) => [resultVersionOf(id)].flatMap((version) => (version ? [[id, version] as const] : [])))),
});
