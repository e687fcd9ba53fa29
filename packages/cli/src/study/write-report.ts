// Writes the report of a study's campaign: reads what it needs from an api, and puts one file where it was asked for.
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Campaign } from '@pronghorn/core/schemas';
import type { Occasion } from '../commands/perform.ts';
import { type DataFolder, reasonOf, UsageError } from '../data.ts';
import type { House } from '../house.ts';
import { type RemoteApi, remoteApi } from '../remote.ts';
import { type KiweeLoad, kiweeDownload } from './kiwee-findings.ts';
import { kiweeReport } from './kiwee-report.ts';
import { type Measured, readMeasured, resourcesOf } from './measured.ts';
import { paperReport } from './paper-report.ts';
import { type StudyName, studyOf } from './studies.ts';

/** @throws UsageError before anything is measured, where the report could not be written */
export function checkReport(out: string | undefined): void {
  if (out === undefined) return;
  try {
    closeSync(openSync(out, 'a'));
  } catch (error) {
    throw unwritable(out, error);
  }
}

const unwritable = (out: string, error: unknown) =>
  new UsageError(`--out ${out} can't be written (${reasonOf(error)}). Name another path.`);

/** @param out where it is written; undefined: into the data folder. @returns where that is. @throws UsageError where it can't be written; and as `remoteApi` */
export async function writeReport(api: RemoteApi, campaignId: string, study: StudyName, out: string): Promise<void> {
  const measured = await readMeasured(api, campaignId);
  const text = study === 'paper' ? paperReport(measured) : kiweeReport(measured, await kiweeLoads(api, measured));
  try {
    writeFileSync(out, text);
  } catch (error) {
    throw unwritable(out, error);
  }
}

/** Within the data folder, whatever a service calls its campaign. */
export const reportPath = (data: Pick<DataFolder, 'path'>, campaignId: string, study: StudyName): string =>
  join(data.path, `${study}-${campaignId.replace(/[^a-z0-9-]/gi, '-')}.html`);

export const apiOf = (house: House): RemoteApi => remoteApi({ url: house.url, token: house.token });

/**
 * The same occasion with a report of the study at its end, where the campaign is one of a study.
 *
 * @param out undefined: into the data folder
 */
export function withReport<T extends Partial<Pick<Occasion, 'afterwards'>>>(occasion: T, data: DataFolder, out?: string): T {
  return {
    ...occasion,
    afterwards: async (house: House, campaign: Campaign) => {
      await occasion.afterwards?.(house, campaign);
      const study = studyOf(campaign);
      if (study === undefined || campaign.progress.visitsValid === 0) return;
      const path = out ?? reportPath(data, campaign.id, study);
      await writeReport(apiOf(house), campaign.id, study, path);
      console.log(`\nThe report beside the study: ${path}`);
    },
  };
}

/** Of each load that counts, what Kiwee's notebook makes of its requests. */
async function kiweeLoads(api: RemoteApi, { campaign, visits }: Measured): Promise<KiweeLoad[]> {
  const loads: KiweeLoad[] = [];
  for (const { id, siteId, condition, slot, roundNumber, verdict } of visits) {
    const protocol = campaign.spec.protocols[slot];
    if (verdict !== 'valid' || protocol === undefined) continue;
    const resources = await resourcesOf(api, id);
    const downloadMs = resources === null ? null : kiweeDownload(resources);
    loads.push({ siteId, condition, protocol, roundNumber, downloadMs, requests: resources?.length ?? 0 });
  }
  return loads;
}
