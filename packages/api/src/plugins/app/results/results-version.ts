// What results were computed from, as a short text: kept results of another version are not served.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CampaignState } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';

/** The newest of a campaign, and of what was computed of it before. */
export type CampaignVersion = {
  state: CampaignState;
  /** Of results: finished rounds, link checks, whether the campaign is complete, and the code. */
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
    const results = [codeVersion(), stamp, state === 'done' ? 'complete' : 'open'].join('.');
    return { state, results, summary: [results, state, queued, leased, cancelled, visitsValid, visitsInvalid].join('.') };
  };
}

/** Of a comparison of two campaigns: its doubts name the state of each. */
export const versionOfBoth = (campaign: CampaignVersion, baseline: CampaignVersion): string =>
  [campaign, baseline].map(({ results, state }) => `${results}.${state}`).join(' ');

/** What such a version says but for rounds and link checks: the code and the state of each. */
export const withoutStamps = (both: string): string =>
  both
    .split(' ')
    .map((version) => version.split('.'))
    .map((parts) => `${parts[0]}.${parts.at(-1)}`)
    .join(' ');

let code: string | undefined;

/** The hash of what computes: core's sources and what they depend on. No number that somebody could forget to raise. */
export function codeVersion(): string {
  code ??= hashOfCore();
  return code;
}

function hashOfCore(): string {
  const core = dirname(dirname(createRequire(import.meta.url).resolve('@pronghorn/core/vocabulary')));
  const hash = createHash('sha256').update(readFileSync(join(core, '../package.json')));
  for (const path of readdirSync(core, { recursive: true, encoding: 'utf8' }).sort()) {
    if (path.endsWith('.ts') && !path.endsWith('.test.ts')) hash.update(path).update(readFileSync(join(core, path)));
  }
  return hash.digest('base64url').slice(0, 12);
}
