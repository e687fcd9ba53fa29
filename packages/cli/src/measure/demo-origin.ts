// The demo origin, behind the link and trusted by the runner’s browsers.

import { dirname, join } from 'node:path';
import { conditionNamed } from '@pronghorn/core/network';
import type { Campaign, Condition, Environment } from '@pronghorn/core/schemas';
import {
  type DemoSite,
  hostAddresses,
  isWebSite,
  type Origin,
  type ServerWish,
  serverWish,
  startOrigin,
  thisMachine,
} from '@pronghorn/origin';
import {
  allEngines,
  chooseBackend,
  coresApart,
  type DemoOrigin,
  type Engine,
  type Executor,
  findTransaction,
  type Link,
  type LinkChoice,
  LinkUnavailable,
  openLink,
  originNetwork,
} from '@pronghorn/runner';
import type { LinkWishes } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import type { DataFolder } from '../program/files.ts';
import { wrap } from '../program/terminal.ts';
import type { Scene } from './measure.ts';
import type { MeasureOptions } from './perform.ts';

const isOfWeb = ({ url }: { url: string }) => isWebSite(new URL(url).hostname.split('.')[0] as string);
const isDemoHost = (hostname: string) => hostname.endsWith('.pronghorn.test');

export function labOf(origin: Origin): DemoOrigin {
  const { calls } = origin;
  return {
    trust: origin.trust,
    serves: isDemoHost,
    settings: origin.settings,
    calls: calls && { hostname: new URL(calls.url).hostname, settings: calls.settings },
  };
}

interface OriginWishes {
  server: ServerWish;
  /** Undefined: any free one. */
  port: number | undefined;
  web?: boolean;
  calls?: boolean;
  /** True where visits also go to other hosts; default false. */
  outside?: boolean;
  /** Records the server's qlogs; only Caddy can. */
  qlog?: boolean;
}

/** A link with the demo origin behind it. */
export interface Demo {
  origin: Origin;
  link(): Promise<Link>;
  /** Settles when the origin's server has ended by itself. */
  failed: Promise<Error>;
  close(): Promise<void>;
}

/** Behind the link, no other program uses ports. */
const portBehindLink = 4433;

/**
 * Opens a link that can do the conditions, and starts the demo origin behind it; without a link, beside the runner.
 *
 * @throws LinkUnavailable, or Error with the server's own message
 */
export async function openDemo(
  conditions: readonly Condition[],
  { data, link: wishes }: { data: DataFolder; link: LinkWishes },
  { server, port, web = false, calls = false, outside = false, qlog = false }: OriginWishes,
): Promise<Demo> {
  const behindPort = port ?? portBehindLink;
  // Some hosts of the web have HTTP/3 on the next port.
  const behind = {
    addresses: hostAddresses({ enter: [], ...originNetwork }, { web, calls }),
    ports: [behindPort, ...(web ? [behindPort + 1] : [])],
  };
  const link = await openLink({ ...wishes, conditions, outside, origin: behind });
  try {
    const place = link.backend === 'direct' ? { ...thisMachine, enter: link.originEnter } : { ...originNetwork, enter: link.originEnter };
    const wanted = link.backend === 'direct' ? port : behindPort;
    const { name, version } = server;
    const origin = await startOrigin({
      ...{ directory: data.origin, server: name, version, place, web, qlog },
      ...(calls ? { calls: { program: findTransaction(), cores: coresApart()?.server } } : {}),
      ...(wanted === undefined ? {} : { port: wanted }),
    });
    const failed = Promise.withResolvers<Error>();
    const timetable = setInterval(() => {
      origin.web?.silenceUdp(isSilent());
      const gone = (what: string, log: string) => failed.resolve(new Error(`the demo's ${what} has ended; its log is ${log}`));
      const run = dirname(origin.accessLog);
      if (!isThere(origin.pid)) gone(origin.server, join(run, 'error.log'));
      if (origin.calls && !isThere(origin.calls.pid)) gone('server of REST calls', join(run, 'calls.log'));
    }, 1_000).unref();
    return {
      origin,
      failed: failed.promise,
      link: async () => link,
      close: async () => {
        clearInterval(timetable);
        await origin.stop();
        await link.close();
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** The demo's server of REST calls, with its link. */
export async function openCallsDemo(
  conditions: readonly Condition[],
  options: { data: DataFolder; link: LinkWishes },
): Promise<Pick<Scene, 'lab' | 'link' | 'close'> & { callsUrl: string }> {
  const { origin, link, close } = await openDemo(conditions, options, { server: { name: 'nginx' }, port: undefined, calls: true });
  if (origin.calls === undefined) throw new Error('The demo has no host of REST calls.');
  return { lab: labOf(origin), link, close, callsUrl: origin.calls.url };
}

/** For a runner on the demo: the link that the origin stands behind, and browsers that trust the origin. */
export async function demoExecutor(demo: Demo): Promise<Executor> {
  const link = await demo.link();
  let engine: Engine | undefined;
  const leave = async () => {
    const left = engine;
    engine = undefined;
    await left?.close();
  };
  return {
    open: async () => {
      engine ??= allEngines(labOf(demo.origin), link.vantagePoint);
      return { link, engine };
    },
    abandon: () => leave().catch(() => {}), // a broken browser may not end properly
    close: leave,
  };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** When a host of the web does not answer UDP: ten of every forty seconds. */
const isSilent = () => Math.floor(performance.now() / 10_000) % 4 === 3;

/**
 * Opens the demo of a campaign's sites as it was then; undefined for other sites.
 *
 * @param environment of an earlier visit of the campaign; undefined when there is none yet
 * @throws Error when the demo can't be opened at the same port
 */
export async function demoOf(
  campaign: Campaign,
  environment: Environment | undefined,
  options: { data: DataFolder; link: LinkWishes },
): Promise<Demo | undefined> {
  const site = campaign.sites.map(({ url }) => new URL(url)).find(({ hostname }) => isDemoHost(hostname));
  if (site === undefined) return undefined;
  try {
    // Another server, version or port would be another site: a campaign can't change it halfway.
    const { asked, server: name } = environment?.origin ?? {};
    const calls = campaign.spec.engine === 'transaction';
    const server = serverWish(String(asked ?? (calls ? undefined : name) ?? 'nginx'));
    return await openDemo(campaign.spec.conditions, options, { server, port: Number(site.port), web: campaign.sites.some(isOfWeb), calls });
  } catch (error) {
    const why = String(error instanceof Error ? error.message : error).replace(/: choose another.*$/, '');
    throw new Error(`Campaign ${campaign.id} can only continue at the demo's port ${site.port}, and that failed: ${why}.`);
  }
}

/**
 * Opens the demo origin behind a link, and prints which sites it serves.
 *
 * @param names of the sites, `web` for those of the web; undefined: the usual ones
 * @throws UsageError for an unknown name
 */
export async function demoScene(
  complete: readonly Condition[],
  options: Pick<MeasureOptions, 'data' | 'link'>,
  server: OriginWishes,
  names: readonly string[] | undefined,
): Promise<Omit<Scene, 'request' | 'print' | 'keepOpen'> & { origin: Origin; sites: { url: string; name: string }[] }> {
  const web = names?.some((name) => name === webGroup || isWebSite(name)) ?? false;
  const stage = await openDemo(complete, options, { ...server, web });
  try {
    const { origin } = stage;
    const unknown = names?.find((name) => name !== webGroup && !origin.sites.some((site) => site.name === name));
    if (unknown !== undefined)
      throw new UsageError(
        `The demo has no site "${unknown}"; its sites are ${origin.sites.map(({ name }) => name).join(', ')}${web ? '' : `, and those of the ${webGroup}`}.`,
      );
    const sites = sitesOf(origin.sites, names);
    const { backend } = await stage.link();
    const where = backend === 'direct' ? 'on this machine' : `behind an emulated network (${backend})`;
    console.error(wrap(`${origin.settings.server} ${origin.settings.version} ${where} serves ${sites.map(({ name }) => name).join(', ')}`));
    return { ...stage, lab: labOf(origin), sites: sites.map(({ url, name }) => ({ url, name })) };
  } catch (error) {
    await stage.close();
    throw error;
  }
}

/** Names the sites that resemble pages in production. */
const webGroup = 'web';
/** Only by their own names: campaigns of several protocols refuse plain http, and 10,000 requests take a minute a visit. */
const byNameAlone = ['plain-http', 'ten-thousand'];

/** @param names undefined: the usual ones */
export function sitesOf(sites: readonly DemoSite[], names: readonly string[] | undefined): DemoSite[] {
  return sites.filter(({ name, truth, web }) => {
    if (names === undefined) return truth === undefined && !web;
    return names.includes(name) || (web && names.includes(webGroup) && !byNameAlone.includes(name));
  });
}

/** A short path and a long one, and with `all` a lossy one; only the short one where this machine can't make the others. */
export async function usualConditions(choice: LinkChoice, all = false): Promise<string[]> {
  const usual = ['native', 'latency-100', ...(all ? ['medium'] : [])];
  try {
    await chooseBackend(
      choice,
      usual.flatMap((name) => conditionNamed(name) ?? []),
    );
    return usual;
  } catch (error) {
    if (!(error instanceof LinkUnavailable)) throw error;
    console.error(wrap(`Only the condition native: ${error.message}`));
    return ['native'];
  }
}
