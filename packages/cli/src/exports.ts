// Files of a campaign: all as JSON, one line for each visit as CSV, one HAR for each visit.
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Campaign, type CampaignResults, metricNames, type SiteDiscovery, type Visit } from '@pronghorn/core';
import { stringify } from 'csv-stringify';
import { UsageError } from './data.ts';
import type { House } from './house.ts';

export interface Exports {
  json?: string;
  csv?: string;
  har?: string;
}

/** @throws UsageError naming the file that can't be written; the measurements are in the data folder all the same */
export async function writeExports(
  house: House,
  campaign: Campaign,
  results: CampaignResults,
  discoveries: readonly SiteDiscovery[],
  exports: Exports,
): Promise<void> {
  try {
    if (exports.json !== undefined) {
      const visits = await Array.fromAsync(house.visits(campaign.id));
      await writeFile(exports.json, `${JSON.stringify({ campaign, results, discoveries, visits }, null, 2)}\n`);
    }
    if (exports.csv !== undefined) {
      await pipeline(rows(house, campaign), stringify({ header: true, columns }), createWriteStream(exports.csv));
    }
    if (exports.har !== undefined) {
      await mkdir(exports.har, { recursive: true });
      for await (const visit of house.visits(campaign.id)) {
        await writeFile(join(exports.har, harName(campaign, visit)), JSON.stringify(await house.har(visit.id)));
      }
    }
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw error;
    throw new UsageError(`${path} can't be written (${code}). Nothing is lost: write it again with ./pronghorn results ${campaign.id}`);
  }
}

const columns = [
  'visit',
  'site',
  'url',
  'condition',
  'view',
  'round',
  'slot',
  'protocol',
  'attempt',
  'retry',
  'startedAt',
  'counted',
  'verdict',
  'reason',
  'detail',
  'finalUrl',
  ...metricNames,
]; // prettier-ignore

async function* rows(house: House, campaign: Campaign): AsyncGenerator<Record<string, unknown>> {
  const sites = new Map(campaign.sites.map((site) => [site.id, site]));
  for await (const visit of house.visits(campaign.id)) {
    const site = sites.get(visit.siteId);
    const { outcome } = visit;
    yield {
      visit: visit.id,
      site: site?.name,
      url: site?.url,
      condition: visit.condition,
      view: visit.view,
      round: visit.roundNumber,
      slot: visit.slot,
      protocol: visit.protocol,
      attempt: visit.attempt,
      retry: visit.retry,
      startedAt: visit.startedAt,
      counted: visit.counted ? 1 : 0,
      verdict: outcome.verdict,
      finalUrl: visit.finalUrl,
      ...(outcome.verdict === 'valid' ? outcome.metrics : { reason: outcome.reason, detail: outcome.detail }),
    };
  }
}

function harName(campaign: Campaign, visit: Visit): string {
  return `${campaign.id}-${visit.protocol}-${visit.startedAt.replaceAll(':', '')}-${visit.id.slice(0, 8)}.har`;
}
