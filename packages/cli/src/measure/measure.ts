// Creates a campaign, performs it here, and shows the answer. All measuring commands use it.
import type { Campaign, CampaignRequest, Condition, Environment } from '@pronghorn/core/schemas';
import { type Engine, requestedEngine } from '@pronghorn/core/vocabulary';
import type { Origin, ServerWish } from '@pronghorn/origin';
import { chooseBackend, type Link, openLink } from '@pronghorn/runner';
import { LocalService } from '../connection/local-service.ts';
import { busyWords } from '../doctor/busy.ts';
import { withNamedServers } from '../local/named-servers.ts';
import { openLocal } from '../local/scene.ts';
import { isLoopback, pageUrl, resolveTargets, type Targets, targetOf, targetOptions } from '../local/targets.ts';
import type { LinkWishes, LocalOptions, MeasuringOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { yellow } from '../program/terminal.ts';
import { demoOf, demoScene, labOf } from './demo-origin.ts';
import { checkExports } from './exports.ts';
import { type MeasureOptions, type Occasion, perform, printFewRounds } from './perform.ts';
import { type ConditionWishes, conditionWishes, measureOptions, requestOf, resolveConditions } from './request.ts';
import { printResults } from './results.ts';
import { journeyOf } from './visitor.ts';

export type MeasureCommandOptions = MeasuringOptions & LocalOptions & { expectStatus: number; page: string[]; journey?: true };

/** @param urls URLs, folders and local servers. @returns as `measure` */
export async function measurePages(urls: readonly string[], options: MeasureCommandOptions): Promise<number> {
  const targets = targetsOf(urls, options.page).map((target) => ({ ...target, expectStatus: options.expectStatus }));
  const resolved = await resolveTargets(targets, targetOptions(options));
  const makeRequest = requestOf(options);
  const setScene = async (conditions: readonly Condition[]): Promise<Scene> => {
    const request = makeRequest(options.journey === true ? journeyOf(resolved.sites) : resolved.sites);
    const scene: Omit<Scene, 'request'> = await sceneOf(conditions, resolved, {
      ...measureOptions(options),
      outside: options.outside,
      engine: requestedEngine(request),
    });
    return {
      request,
      ...scene,
      created: (campaign) => {
        scene.created?.(campaign);
        printFewRounds(campaign);
      },
    };
  };
  return await measure({ conditions: conditionWishes(options, ['native']), setScene }, measureOptions(options));
}

/** @throws UsageError when pages are named, but not exactly one folder or server that has them */
function targetsOf(given: readonly string[], pages: readonly string[]): ({ url: string } | { folder: string; page?: string })[] {
  const targets = given.map(targetOf);
  const [first] = targets;
  if (pages.length === 0 || first === undefined) return targets;
  if (targets.length > 1) throw new UsageError('--page needs exactly one folder or server.');
  return pages.map((page) => {
    if ('folder' in first) return { ...first, page };
    const url = URL.parse(page, first.url);
    if (url === null) throw new UsageError(`"${page}" is not the path of a page; expected one such as /pricing/.`);
    return { url: url.href };
  });
}

/** What to measure, and where. */
export interface Plan {
  conditions: ConditionWishes;
  /** Prepares what is measured. @param conditions those of the campaign, complete */
  setScene(conditions: readonly Condition[]): Promise<Scene>;
}

/** A campaign whose sites are ready. */
export interface Scene extends Omit<Occasion, 'print'> {
  request: CampaignRequest;
  print?: Occasion['print'];
  /** Creates the campaign; default: by POST /campaigns. */
  create?(service: LocalService, request: CampaignRequest): Promise<Campaign>;
  /** Called with each campaign before its first round. */
  created?(campaign: Campaign): void;
  /** Creates another one after the first, where needed; null: it is not. */
  next?(service: LocalService, request: CampaignRequest): Promise<Campaign | null>;
  /** Ends everything that the scene started, including the link. */
  close(): Promise<void>;
}

/** @returns the exit code: 0, 1 when nothing valid was measured, 130 when it was interrupted */
export async function measure({ conditions: wishes, setScene }: Plan, options: MeasureOptions): Promise<number> {
  checkExports(options.exports);
  // Before this command itself is at work.
  const busy = busyWords();
  await using service = await LocalService.open(options.data, { dashboard: true });
  await service.mustBeAlone();
  const { requested, complete } = await resolveConditions(service, wishes);
  // Conditions that this machine can't make are refused before anything is created.
  const backend = await chooseBackend(options.link.choice, complete);
  const scene = await setScene(complete);
  try {
    if (scene.request.isolation === 'container') {
      throw new UsageError(
        'The campaign gives each visit a container, which needs a runner with --visit-command: ' +
          'use a service that has such a runner (--api), or choose the isolation context or process.',
      );
    }
    if (scene.lab === undefined && backend !== 'direct') refuseLoopback(scene.request);
    const request = { ...scene.request, conditions: requested };
    const campaign = await (scene.create?.(service, request) ?? service.createCampaign(request));
    const measured = (one: Campaign) => {
      scene.created?.(one);
      return service.claiming(one.id, () => perform(service, one, options, { print: printResults, ...scene }));
    };
    if (busy !== undefined && campaign.spec.limits.foreignCpuShare < 1)
      console.error(yellow(`This machine is ${busy}. Stop other programs, or allow more with --busy, at the cost of noisier numbers.`));
    const code = await measured(campaign);
    const next = code === 130 ? null : ((await scene.next?.(service, request)) ?? null);
    return next === null ? code : await measured(next);
  } finally {
    await scene.close();
  }
}

/** In a visit's network namespace these names mean the namespace itself, where nothing listens. */
function refuseLoopback({ sites }: CampaignRequest): void {
  for (const { url } of sites) {
    if (!isLoopback(url)) continue;
    throw new UsageError(
      `${url} is on this machine's loopback, but visits run in their own network namespace, which has its own ${new URL(url).hostname}. ` +
        'Put nginx in front of it (--front), or measure it with --link direct.',
    );
  }
}

/** Folders and local servers are put behind the link; public pages are there already. */
export async function sceneOf(
  conditions: readonly Condition[],
  targets: Targets,
  options: Pick<MeasureOptions, 'data' | 'link'> & { outside: boolean; engine: Engine },
): Promise<Omit<Scene, 'request' | 'print'>> {
  if (targets.hosts.length === 0) return worldScene(conditions, options.link);
  // Calls need no other server, and their answers pass as they are.
  const { hosts, world } = options.engine === 'transaction' ? targets : await withNamedServers(targets);
  return await openLocal(conditions, options, { hosts, world, outside: options.outside });
}

/** Public pages: the link is opened when there is something to measure. */
export function worldScene(conditions: readonly Condition[], wishes: LinkWishes): Pick<Scene, 'link' | 'close'> {
  let opening: Promise<Link> | undefined;
  return {
    link: () => {
      opening ??= openLink({ ...wishes, conditions, outside: true });
      return opening;
    },
    // A link that failed to open has been reported, and left nothing to close.
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/** What an earlier part of the campaign was measured on: for the demo the same server at the same port, over the same kind of link. */
export async function sceneAsBefore(
  campaign: Campaign,
  environment: Environment | undefined,
  options: Pick<MeasureOptions, 'data' | 'link'>,
): Promise<Pick<Scene, 'lab' | 'link' | 'close'> & { origin?: Origin }> {
  const link = asBefore(options.link, environment);
  const demo = await demoOf(campaign, environment, { ...options, link });
  return demo === undefined ? worldScene(campaign.spec.conditions, link) : { ...demo, lab: labOf(demo.origin) };
}

/** A campaign continues over the link that it began on: it must not mix two. */
export function asBefore(wishes: LinkWishes, environment: Environment | undefined): LinkWishes {
  if (environment === undefined) return wishes;
  const { backend, congestionControl } = environment.link;
  return {
    ...wishes,
    choice: wishes.choice === 'auto' ? backend : wishes.choice,
    congestionControl: backend === 'direct' ? wishes.congestionControl : (congestionControl ?? wishes.congestionControl),
  };
}

/** Public pages; sites of the demo where none are named. */
export async function worldOrDemo(
  urls: readonly string[],
  conditions: readonly Condition[],
  options: Pick<MeasureOptions, 'data' | 'link'>,
  { origin: server, sites = ['shop'] }: { origin: ServerWish; sites?: string[] },
): Promise<Pick<Scene, 'lab' | 'link' | 'close'> & { sites: CampaignRequest['sites'] }> {
  if (urls.length > 0) return { ...worldScene(conditions, options.link), sites: urls.map((url) => ({ url: pageUrl(url) })) };
  const { origin: _, ...scene } = await demoScene(conditions, options, { server, port: undefined }, sites);
  return scene;
}
