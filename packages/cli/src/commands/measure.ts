// Makes a campaign, performs it here, and shows the answer. All commands that measure go through it.
import type { Campaign, CampaignRequest, Condition } from '@pronghorn/core';
import { chooseBackend, type Link, openLink } from '@pronghorn/runner';
import type { Command } from 'commander';
import { type ConditionWishes, resolveConditions } from '../conditions.ts';
import { UsageError } from '../data.ts';
import { checkExports } from '../exports.ts';
import { House } from '../house.ts';
import { conditionWishes, linkWishes, type MeasuringOptions, measureOptions, measuring, requestOf } from '../options/measuring.ts';
import { between, withScheme } from '../options/values.ts';
import { type LinkWishes, type MeasureOptions, type Occasion, perform } from './perform.ts';
import { tell } from './results.ts';

export function addMeasure(program: Command): void {
  measuring(program.command('measure'), 20)
    .description('load pages over HTTP/1.1, HTTP/2 and HTTP/3 and compare')
    .argument('<url...>', 'pages to measure')
    .option('--expect-status <status>', 'status that the document must have', between(200, 599), 200)
    .action(async (urls: string[], options: MeasuringOptions & { expectStatus: number }) => {
      const sites = urls.map((url) => ({ url: withScheme(url), expectStatus: options.expectStatus }));
      const setScene = async (conditions: readonly Condition[]) => ({
        request: requestOf(sites, options),
        ...worldScene(conditions, linkWishes(options)),
      });
      process.exitCode = await measure({ conditions: conditionWishes(options, ['native']), setScene }, measureOptions(options));
    });
}

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
  const house = await House.open(options.data, { dashboard: true });
  try {
    const { asked, complete } = await resolveConditions(house, wishes);
    // What can't be measured here is refused before anything is made.
    const backend = await chooseBackend(options.link.choice, complete);
    const scene = await setScene(complete);
    try {
      if (scene.request.isolation === 'container') {
        throw new UsageError(
          'The campaign gives each visit a container, which only a runner with --visit-command can: ' +
            'ask a service that has such a runner (--api), or choose the isolation context or process.',
        );
      }
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
