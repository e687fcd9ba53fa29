// Serves folders and servers of this machine with the bundled nginx, behind the link.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfThisMachine } from '@pronghorn/core/network';
import type { Campaign, Condition, Visit } from '@pronghorn/core/schemas';
import { counted, listed as inWords } from '@pronghorn/core/text';
import { type LocalHost, type LocalOrigin, localAddresses, localPlace, localPort, NoBuild, startLocalOrigin } from '@pronghorn/origin';
import { type DemoOrigin, type Link, openLink, originNetwork } from '@pronghorn/runner';
import type { LocalService } from '../connection/local-service.ts';
import type { LinkWishes } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, makeFolder } from '../program/files.ts';
import { wrap, yellow } from '../program/terminal.ts';
import { isLoopback } from './targets.ts';

interface LocalScene {
  lab: DemoOrigin;
  origin: LocalOrigin;
  link(): Promise<Link>;
  created(campaign: Campaign): void;
  afterwards(service: LocalService, campaign: Campaign): Promise<void>;
  close(): Promise<void>;
}

export interface LocalWishes {
  hosts: readonly LocalHost[];
  /** True where pages may load from other hosts. */
  outside: boolean;
  /** True where public pages are measured beside them. */
  world: boolean;
}

/**
 * Opens the link, copies the folders and serves them behind it; without a link, beside the runner.
 *
 * @throws LinkUnavailable, UsageError for a folder that can't be served, or Error with nginx's own message
 */
export async function openLocal(
  conditions: readonly Condition[],
  { data, link: wishes }: { data: DataFolder; link: LinkWishes },
  { hosts, outside, world }: LocalWishes,
): Promise<LocalScene> {
  const behind = { addresses: localAddresses(hosts, originNetwork), ports: [localPort] };
  const link = await openLink({ ...wishes, conditions, outside: outside || world, origin: behind });
  try {
    const network = link.backend === 'direct' ? localPlace : originNetwork;
    const origin = await startLocalOrigin({ directory: data.origin, hosts, place: { ...network, enter: link.originEnter } }).catch(
      (error: Error) => {
        throw error instanceof NoBuild ? new UsageError(`${error.message}.`) : error;
      },
    );
    printServed(origin, hosts, link);
    const served = new Set(hosts.map(({ name }) => name));
    return {
      origin,
      lab: {
        trust: { ...origin.trust, selfSigned: readFileSync(origin.trust.certificate, 'utf8'), outside },
        serves: (hostname) => served.has(hostname),
        settings: { ...origin.settings, contentVersion: [...origin.snapshots.values()].map(({ version }) => version).join(' ') || null },
      },
      link: async () => link,
      created: ({ id }) => remember(data, id, { hosts, outside, world, versions: versionsOf(origin) }),
      afterwards: (service, campaign) => printElsewhere(service, campaign, { served, outside }),
      close: async () => {
        await origin.stop();
        await link.close();
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

export const versionsOf = ({ snapshots }: LocalOrigin): Record<string, string> =>
  Object.fromEntries([...snapshots].map(([host, { version }]) => [host, version]));

const maxListed = 5;

function printServed({ snapshots, settings }: LocalOrigin, hosts: readonly LocalHost[], { backend }: Link): void {
  const where = backend === 'direct' ? 'on this machine' : `behind an emulated network (${backend})`;
  for (const { name, serves } of hosts) {
    const snapshot = snapshots.get(name);
    const what =
      'server' in serves
        ? serves.server.origin
        : `${serves.folder} (${counted(snapshot?.files ?? 0, 'file')}, ${megabytes(snapshot?.bytes ?? 0)})`;
    console.error(wrap(`${settings.server} ${settings.version} ${where} serves ${what} as ${name}`));
    const left = snapshot?.notServed ?? [];
    if (left.length === 0) continue;
    const more = left.length > maxListed ? `, and ${left.length - maxListed} more` : '';
    const listed = left.slice(0, maxListed).map(({ path, why }) => `${path} (${why})`);
    console.error(wrap(`Not served: ${listed.join(', ')}${more}.`));
  }
  const renamed = hosts.flatMap(({ serves }) => ('server' in serves && serves.renames === true ? [serves.server.origin] : []));
  if (renamed.length === 0) return;
  console.error(wrap(`Pages name ${inWords(renamed)}. In answers, the names above replace these addresses, so that visits reach them.`));
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;

export interface Remembered {
  hosts: readonly LocalHost[];
  outside: boolean;
  world: boolean;
  /** Versions of the folders' contents, by host. */
  versions: Record<string, string>;
}

const folderOf = (data: DataFolder) => join(data.path, 'local-sites');

function remember(data: DataFolder, campaignId: string, what: Remembered): void {
  makeFolder(folderOf(data));
  writeFileSync(join(folderOf(data), `${campaignId}.json`), `${JSON.stringify(what, null, 2)}\n`);
}

/**
 * @returns undefined for a campaign without local sites
 * @throws UsageError when the campaign has some and their place is unknown
 */
export function recall(data: DataFolder, { id, sites }: Campaign): Remembered | undefined {
  const local = sites.find(({ url }) => isOfThisMachine(url));
  if (local === undefined) return undefined;
  let content: string;
  try {
    content = readFileSync(join(folderOf(data), `${id}.json`), 'utf8');
  } catch {
    throw new UsageError(`Campaign ${id} measures ${local.name}, but this data folder does not say where that is. Start a new campaign.`);
  }
  const { hosts, ...same } = JSON.parse(content) as Remembered;
  return {
    ...same,
    hosts: hosts.map(({ serves, ...host }) => ({
      ...host,
      serves: 'server' in serves ? { ...serves, server: new URL(serves.server) } : serves,
    })),
  };
}

/** A campaign must not mix two builds. @throws UsageError that names the folder */
export function mustBeSame({ hosts, versions }: Remembered, now: Record<string, string>, campaignId: string): void {
  const changed = hosts.find(({ name }) => versions[name] !== now[name]);
  if (changed === undefined || !('folder' in changed.serves)) return;
  throw new UsageError(
    `${changed.serves.folder} has changed since campaign ${campaignId} began (now ${now[changed.name]}, then ${versions[changed.name]}): ` +
      'its rounds would mix two builds. Start a new campaign, or restore the old build.',
  );
}

interface Reach {
  served: ReadonlySet<string>;
  outside: boolean;
}

/** Reports requests to other hosts on standard error, by the last visit of each site. */
async function printElsewhere(service: LocalService, campaign: Campaign, { served, outside }: Reach): Promise<void> {
  const last = new Map<string, Visit>();
  for await (const visit of service.visits(campaign.id)) {
    if (visit.counted || last.get(visit.siteId)?.counted !== true) last.set(visit.siteId, visit);
  }
  for (const { id, name, url } of campaign.sites) {
    const visit = last.get(id);
    if (visit === undefined || !served.has(new URL(url).hostname)) continue;
    const resources = await service.resources(visit.id);
    const [here = [], away = []] = [true, false].map((is) => resources.filter((one) => isLoopback(one.url) === is));
    const means = outside
      ? 'answered from the network as far as visits reach it, so the numbers include these hosts'
      : 'which failed: visits reach only what is served here. --outside lets them load from other hosts';
    printRequests(name, elsewhere(away, served), means);
    // None of them is a part of the page: without one, a visit is not valid.
    const lost = here.filter(({ status }) => status === null);
    printRequests(name, elsewhere(lost, served), 'which failed: visits have a loopback of their own. The page itself does not need them');
  }
}

function printRequests(site: string, counts: readonly [origin: string, requests: number][], means: string): void {
  if (counts.length === 0) return;
  const listed = counts.slice(0, maxListed).map(([origin, requests]) => `${counted(requests, 'request')} to ${origin}`);
  const more = counts.length > maxListed ? `, and to ${counted(counts.length - maxListed, 'more host')}` : '';
  console.error(yellow(`${site} made ${listed.join(', ')}${more}, ${means}.`));
}

/** Origins and their numbers of requests, most first. */
export function elsewhere(resources: readonly { url: string }[], served: ReadonlySet<string>): [origin: string, requests: number][] {
  const counts = new Map<string, number>();
  for (const { url } of resources) {
    const { protocol, hostname, origin } = URL.parse(url) ?? { protocol: '', hostname: '', origin: '' };
    if (!/^(https?|wss?):$/.test(protocol) || served.has(hostname)) continue;
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
