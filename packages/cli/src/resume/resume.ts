// Continues a stopped campaign over the link that it began on.

import type { Campaign } from '@pronghorn/core/schemas';
import type { Origin } from '@pronghorn/origin';
import { LocalService } from '../connection/local-service.ts';
import { mustBeSame, openLocal, type Remembered, recall, versionsOf } from '../local/scene.ts';
import { checkExports } from '../measure/exports.ts';
import { asBefore, sceneAsBefore } from '../measure/measure.ts';
import { type MeasureOptions, type Occasion, perform } from '../measure/perform.ts';
import { measureOptions } from '../measure/request.ts';
import { printResults } from '../measure/results.ts';
import type { Exports, LinkingOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { withReport } from '../study/report.ts';
import { printTruth } from '../trust/ground-truth.ts';

export type ResumeOptions = Exports & LinkingOptions & { evidence: boolean; verbose?: true; data?: string };

/** Continues a campaign; without an id, the latest that is not done. */
export async function resume(id: string | undefined, given: ResumeOptions): Promise<number> {
  const options = measureOptions(given);
  checkExports(options.exports);
  await using service = await LocalService.open(options.data, { dashboard: true });
  const unfinished = id ?? (await service.campaigns()).find(({ state }) => state !== 'done')?.id;
  if (unfinished === undefined) throw new UsageError('All campaigns are done: there is nothing to resume.');
  const { id: known } = await service.campaign(unfinished);
  await service.mustBeAlone();
  return await service.claiming(known, async () => {
    const campaign = await service.ask('POST /campaigns/{id}/resume', { id: known });
    const environment = await service.anyEnvironment(known);
    const local = recall(options.data, campaign);
    if (local !== undefined) return await resumeLocal(service, campaign, { ...options, link: asBefore(options.link, environment) }, local);
    const { origin, ...scene } = await sceneAsBefore(campaign, environment, options);
    try {
      const occasion: Occasion = { print: origin === undefined ? printResults : printOf(campaign, origin), ...scene };
      return await perform(service, campaign, options, withReport(occasion, options.data));
    } finally {
      await scene.close();
    }
  });
}

/** On the same folders with the same contents, and the same servers. */
async function resumeLocal(service: LocalService, campaign: Campaign, options: MeasureOptions, local: Remembered): Promise<number> {
  const scene = await openLocal(campaign.spec.conditions, options, local);
  try {
    mustBeSame(local, versionsOf(scene.origin), campaign.id);
    return await perform(service, campaign, options, withReport({ print: printResults, ...scene }, options.data));
  } finally {
    await scene.close();
  }
}

/** Ground-truth pages are reported by their errors, all others by their numbers. */
function printOf(campaign: Campaign, { sites }: Origin): Occasion['print'] {
  const isTruth = campaign.sites.every(({ name }) => sites.some((site) => site.name === name && site.truth !== undefined));
  return isTruth ? printTruth(sites) : printResults;
}
