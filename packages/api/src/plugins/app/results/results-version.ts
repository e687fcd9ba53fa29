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

export const createResultReads = ({ resultVersionOf }: Pick<Tables, 'resultVersionOf'>) => ({
  version: resultVersionOf,
  /** Without campaigns that are not there. */
  versions: (campaignIds: readonly number[]): Map<number, CampaignVersion> =>
    new Map(campaignIds.flatMap((id) => [resultVersionOf(id)].flatMap((version) => (version ? [[id, version] as const] : [])))),
});
