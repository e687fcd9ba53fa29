// Makes a campaign, performs it here, and shows the answer; `resume` goes on with one that was stopped.
import { styleText } from 'node:util';
import type { Campaign, CampaignRequest } from '@pronghorn/core';
import { type DataFolder, UsageError } from '../data.ts';
import { checkExports, type Exports, writeExports } from '../exports.ts';
import { House } from '../house.ts';
import { labOf, originOf } from '../origin.ts';
import { report } from '../report.ts';
import { counted } from '../terminal.ts';
import { tellTruth } from './ground-truth.ts';
import { type MeasureOptions, type Occasion, perform } from './perform.ts';

/** @returns the exit code: 0, 1 when nothing valid was measured, 130 when it was interrupted */
export async function measure(request: CampaignRequest, options: MeasureOptions, occasion: Partial<Occasion> = {}): Promise<number> {
  checkExports(options.exports);
  const house = await House.open(options.data);
  try {
    const campaign = await house.createCampaign(request);
    return await house.claiming(campaign.id, () => perform(house, campaign, options, { tell, ...occasion }));
  } finally {
    await house.close();
  }
}

/** Goes on with a campaign; without an id, with the latest that isn't done. */
export async function resume(id: string | undefined, options: MeasureOptions): Promise<number> {
  checkExports(options.exports);
  const house = await House.open(options.data);
  try {
    const found = id ?? (await house.campaigns()).find(({ state }) => state !== 'done')?.id;
    if (found === undefined) throw new UsageError('Every campaign is done: there is nothing to resume.');
    const { id: known } = await house.campaign(found);
    return await house.claiming(known, async () => {
      const campaign = await house.resume(known);
      const origin = await originOf(campaign, options.data);
      if (origin === undefined) return await perform(house, campaign, options, { tell });
      try {
        const isTruth = campaign.sites.every(({ name }) => origin.sites.some((site) => site.name === name && site.truth !== undefined));
        return await perform(house, campaign, options, { lab: labOf(origin), tell: isTruth ? tellTruth(origin.sites) : tell });
      } finally {
        await origin.stop();
      }
    });
  } finally {
    await house.close();
  }
}

/** Shows and exports what a campaign has measured so far. */
export async function showResults(id: string | undefined, options: { data: DataFolder; exports: Exports }): Promise<number> {
  checkExports(options.exports);
  const house = await House.open(options.data);
  try {
    const found = id ?? (await house.campaigns())[0]?.id;
    if (found === undefined) throw new UsageError('Nothing was measured yet. Begin with: ./pronghorn measure URL');
    const campaign = await house.campaign(found);
    const { name } = campaign.spec;
    const { roundsDone, rounds } = campaign.progress;
    const when = campaign.createdAt.slice(0, 16).replace('T', ' ');
    console.log(
      styleText('dim', `Campaign ${campaign.id}, ${name}, ${when} UTC: ${campaign.state}, ${roundsDone} of ${counted(rounds, 'round')}\n`),
    );
    await tell(house, campaign);
    await writeExports(house, campaign, options.exports, options.data);
    return 0;
  } finally {
    await house.close();
  }
}

/** @returns 0, or 1 when nothing valid was measured */
export async function tell(house: House, campaign: Campaign): Promise<number> {
  const [results, discoveries] = await Promise.all([house.results(campaign.id), house.discoveries(campaign.id)]);
  console.log(report(campaign, results, discoveries));
  return campaign.progress.visitsValid > 0 ? 0 : 1;
}
