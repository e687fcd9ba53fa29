// Makes a campaign, performs it here, and shows the answer; `resume` goes on with one that was stopped.
import { styleText } from 'node:util';
import type { Campaign, CampaignRequest, Condition, Environment } from '@pronghorn/core';
import type { Origin } from '@pronghorn/origin';
import { chooseBackend, type Link, openLink } from '@pronghorn/runner';
import { calibrationReport } from '../calibration-report.ts';
import { calibrations, isCalibration } from '../calibrations.ts';
import { type ConditionWishes, resolveConditions } from '../conditions.ts';
import { type DataFolder, UsageError } from '../data.ts';
import { checkExports, type Exports, writeExports } from '../exports.ts';
import { House } from '../house.ts';
import { demoOf, labOf } from '../origin.ts';
import { report } from '../report.ts';
import { counted } from '../terminal.ts';
import { tellTruth } from './ground-truth.ts';
import { type LinkWishes, type MeasureOptions, type Occasion, perform } from './perform.ts';

/** What is to be measured, and where it stands. */
export interface Plan {
  conditions: ConditionWishes;
  /** Makes what is measured ready. `conditions` are those of the campaign, complete. */
  setScene(conditions: readonly Condition[]): Promise<Scene>;
}

/** What of a campaign is known when its sites are. */
export interface Scene extends Omit<Occasion, 'tell'> {
  request: CampaignRequest;
  tell?: Occasion['tell'];
  /** Makes the campaign in another way than by asking for it. */
  create?(house: House, request: CampaignRequest): Promise<Campaign>;
  /** Ends what the scene started, the link too. */
  close(): Promise<void>;
}

/** @returns the exit code: 0, 1 when nothing valid was measured, 130 when it was interrupted */
export async function measure({ conditions: wishes, setScene }: Plan, options: MeasureOptions): Promise<number> {
  checkExports(options.exports);
  const house = await House.open(options.data);
  try {
    const { asked, complete } = await resolveConditions(house, wishes);
    // What can't be measured here is refused before anything is made.
    const backend = await chooseBackend(options.link.choice, complete);
    const scene = await setScene(complete);
    try {
      if (scene.lab === undefined && backend !== 'direct') refuseLoopback(scene.request);
      const request = { ...scene.request, conditions: asked };
      const campaign = await (scene.create?.(house, request) ?? house.createCampaign(request));
      return await house.claiming(campaign.id, () => perform(house, campaign, options, { tell, ...scene }));
    } finally {
      await scene.close();
    }
  } finally {
    await house.close();
  }
}

/** In a visit's namespace these names mean the namespace itself, where nothing listens. */
function refuseLoopback({ sites }: CampaignRequest): void {
  for (const { url } of sites) {
    const { hostname } = URL.parse(url) ?? { hostname: '' };
    if (!/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)) continue;
    throw new UsageError(
      `${url} is on this machine's loopback, and visits run in a network namespace of their own, where ${hostname} is another. ` +
        'Measure it with --link direct; or give it an address of the machine and open that with --allow-net.',
    );
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
      const environment = await house.anyEnvironment(known);
      const link = asBefore(options.link, environment);
      const demo = await demoOf(campaign, environment, { ...options, link });
      const scene = demo === undefined ? worldScene(campaign.spec.conditions, link) : { ...demo, lab: labOf(demo.origin) };
      try {
        return await perform(house, campaign, options, { tell: demo === undefined ? tell : tellOf(campaign, demo.origin), ...scene });
      } finally {
        await scene.close();
      }
    });
  } finally {
    await house.close();
  }
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

/** Pages of the world: the link is opened when there is something to measure. */
export function worldScene(conditions: readonly Condition[], wishes: LinkWishes): Pick<Scene, 'link' | 'close'> {
  let opening: Promise<Link> | undefined;
  return {
    link: () => {
      opening ??= openLink({ ...wishes, conditions, outside: true });
      return opening;
    },
    // One that could not be opened has left nothing to close, and was told of.
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
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
  const [results, discoveries, environment] = await Promise.all([
    house.results(campaign.id),
    house.discoveries(campaign.id),
    house.anyEnvironment(campaign.id),
  ]);
  console.log(report(campaign, results, discoveries, environment));
  const found = isCalibration(campaign.spec) ? calibrations(campaign, await Array.fromAsync(house.visits(campaign.id))) : [];
  if (found.some(({ calibration }) => calibration !== null)) console.log(`\n${calibrationReport(campaign, found)}`);
  return campaign.progress.visitsValid > 0 ? 0 : 1;
}
