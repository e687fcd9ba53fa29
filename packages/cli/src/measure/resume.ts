// Goes on with a campaign that was stopped, over the link that it began on.

import type { Campaign, Environment } from '@pronghorn/core/schemas';
import type { Origin } from '@pronghorn/origin';
import type { ResumeOptions } from '../commands/measure.ts';
import { UsageError } from '../data.ts';
import { House } from '../house.ts';
import { mustBeSame, openLocal, type Remembered, recall, versionsOf } from '../local/scene.ts';
import { withReport } from '../study/report.ts';
import { tellTruth } from '../trust/ground-truth.ts';
import { demoOf, labOf } from './demo-origin.ts';
import { checkExports } from './exports.ts';
import { type Scene, worldScene } from './measure.ts';
import { type LinkWishes, type MeasureOptions, type Occasion, perform } from './perform.ts';
import { measureOptions } from './request.ts';
import { tell } from './results.ts';

/** Goes on with a campaign; without an id, with the latest that isn't done. */
export async function resume(id: string | undefined, given: ResumeOptions): Promise<number> {
  const options = measureOptions(given);
  checkExports(options.exports);
  const house = await House.open(options.data, { dashboard: true });
  try {
    const found = id ?? (await house.campaigns()).find(({ state }) => state !== 'done')?.id;
    if (found === undefined) throw new UsageError('Every campaign is done: there is nothing to resume.');
    const { id: known } = await house.campaign(found);
    await house.mustBeAlone();
    return await house.claiming(known, async () => {
      const campaign = await house.resume(known);
      const environment = await house.anyEnvironment(known);
      const local = recall(options.data, campaign);
      if (local !== undefined) return await resumeLocal(house, campaign, { ...options, link: asBefore(options.link, environment) }, local);
      const { origin, ...scene } = await sceneAsBefore(campaign, environment, options);
      try {
        const occasion: Occasion = { tell: origin === undefined ? tell : tellOf(campaign, origin), ...scene };
        return await perform(house, campaign, options, withReport(occasion, options.data));
      } finally {
        await scene.close();
      }
    });
  } finally {
    await house.close();
  }
}

/** On the same folders with the same contents, and the same servers. */
async function resumeLocal(house: House, campaign: Campaign, options: MeasureOptions, local: Remembered): Promise<number> {
  const scene = await openLocal(campaign.spec.conditions, options, local);
  try {
    mustBeSame(local, versionsOf(scene.origin), campaign.id);
    return await perform(house, campaign, options, withReport({ tell, ...scene }, options.data));
  } finally {
    await scene.close();
  }
}

/** What a campaign of the demo or of the world was measured on: the same server at the same port, over the same kind of link. */
export async function sceneAsBefore(
  campaign: Campaign,
  environment: Environment | undefined,
  options: Pick<MeasureOptions, 'data' | 'link'>,
): Promise<Pick<Scene, 'lab' | 'link' | 'close'> & { origin?: Origin }> {
  const link = asBefore(options.link, environment);
  const demo = await demoOf(campaign, environment, { ...options, link });
  return demo === undefined ? worldScene(campaign.spec.conditions, link) : { ...demo, lab: labOf(demo.origin) };
}

/** A campaign goes on over the link that it began on: half of it over another would be another campaign. */
function asBefore(wishes: LinkWishes, environment: Environment | undefined): LinkWishes {
  if (environment === undefined) return wishes;
  const { backend, congestionControl } = environment.link;
  return {
    ...wishes,
    choice: wishes.choice === 'auto' ? backend : wishes.choice,
    congestionControl: backend === 'direct' ? wishes.congestionControl : (congestionControl ?? wishes.congestionControl),
  };
}

/** Ground-truth pages are told by their errors, all others by their numbers. */
function tellOf(campaign: Campaign, { sites }: Origin): Occasion['tell'] {
  const isTruth = campaign.sites.every(({ name }) => sites.some((site) => site.name === name && site.truth !== undefined));
  return isTruth ? tellTruth(sites) : tell;
}
