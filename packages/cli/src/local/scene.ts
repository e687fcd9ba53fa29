// Folders and servers of this machine, served by the bundled nginx behind the link.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Campaign, Condition, Visit } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { type LocalHost, type LocalOrigin, localAddresses, localPlace, localPort, NoBuild, startLocalOrigin } from '@pronghorn/origin';
import { type DemoOrigin, type Link, openLink, originNetwork } from '@pronghorn/runner';
import { type DataFolder, makeFolder } from '../program/files.ts';
import type { LocalService } from '../connection/local-service.ts';
import { yellow, wrap } from '../program/terminal.ts';
import { folderDomain, serverDomain } from './targets.ts';
import { UsageError } from '../program/errors.ts';
import type { LinkWishes } from '../options/measuring.ts';

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
  /** Whether pages may take what they name elsewhere from the world. */
  outside: boolean;
  /** Whether pages of the world are measured beside them. */
  world: boolean;
}

/**
 * Opens the link, copies the folders and serves them behind it; without a link, beside the runner.
 *
 * @throws LinkUnavailable, UsageError for a folder that can't be served, or Error with nginx's own words
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

const maxTold = 5;

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
    const more = left.length > maxTold ? `, and ${left.length - maxTold} more` : '';
    const told = left.slice(0, maxTold).map(({ path, why }) => `${path} (${why})`);
    console.error(wrap(`Not served: ${told.join(', ')}${more}.`));
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;

export interface Remembered {
  hosts: readonly LocalHost[];
  outside: boolean;
  world: boolean;
  /** Of the folders' contents, by host. */
  versions: Record<string, string>;
}

const folderOf = (data: DataFolder) => join(data.path, 'local-sites');

function remember(data: DataFolder, campaignId: string, what: Remembered): void {
  makeFolder(folderOf(data));
  writeFileSync(join(folderOf(data), `${campaignId}.json`), `${JSON.stringify(what, null, 2)}\n`);
}

/**
 * @returns undefined for a campaign without local sites
 * @throws UsageError when the campaign has some and it isn't known where they are
 */
export function recall(data: DataFolder, { id, sites }: Campaign): Remembered | undefined {
  const isLocal = ({ url }: { url: string }) => [folderDomain, serverDomain].some((domain) => new URL(url).hostname.endsWith(`.${domain}`));
  const local = sites.find(isLocal);
  if (local === undefined) return undefined;
  let content: string;
  try {
    content = readFileSync(join(folderOf(data), `${id}.json`), 'utf8');
  } catch {
    throw new UsageError(`Campaign ${id} measures ${local.name}, and this data folder does not say where that is: measure it anew.`);
  }
  const { hosts, ...same } = JSON.parse(content) as Remembered;
  return {
    ...same,
    hosts: hosts.map((host) => ('server' in host.serves ? { ...host, serves: { server: new URL(host.serves.server) } } : host)),
  };
}

/** Half of a campaign on another build would be another campaign. @throws UsageError that names the folder */
export function mustBeSame({ hosts, versions }: Remembered, now: Record<string, string>, campaignId: string): void {
  const changed = hosts.find(({ name }) => versions[name] !== now[name]);
  if (changed === undefined || !('folder' in changed.serves)) return;
  throw new UsageError(
    `${changed.serves.folder} has other contents than when campaign ${campaignId} began (${now[changed.name]}, it was ${versions[changed.name]}): ` +
      'its rounds would be of two builds. Measure it anew, or bring the old build back.',
  );
}

interface Reach {
  served: ReadonlySet<string>;
  outside: boolean;
}

/** Says so on standard error, by the last visit of each site. */
async function printElsewhere(service: LocalService, campaign: Campaign, { served, outside }: Reach): Promise<void> {
  const last = new Map<string, Visit>();
  for await (const visit of service.visits(campaign.id)) {
    if (visit.counted || last.get(visit.siteId)?.counted !== true) last.set(visit.siteId, visit);
  }
  for (const { id, name, url } of campaign.sites) {
    const visit = last.get(id);
    if (visit === undefined || !served.has(new URL(url).hostname)) continue;
    const counts = elsewhere(await service.resources(visit.id), served);
    if (counts.length === 0) continue;
    const told = counts.slice(0, 5).map(([origin, requests]) => `${counted(requests, 'request')} to ${origin}`);
    const more = counts.length > 5 ? `, and to ${counted(counts.length - 5, 'more host')}` : '';
    const means = outside
      ? 'answered from the network, as far as visits reach it: those numbers hold what it did'
      : 'which failed: visits reach what is served here and nothing else. --outside lets them reach the world';
    console.error(yellow(`${name} made ${told.join(', ')}${more}; ${means}.`));
  }
}

/** Origins and how often each was asked, most first. */
export function elsewhere(resources: readonly { url: string }[], served: ReadonlySet<string>): [origin: string, requests: number][] {
  const counts = new Map<string, number>();
  for (const { url } of resources) {
    const { protocol, hostname, origin } = URL.parse(url) ?? { protocol: '', hostname: '', origin: '' };
    if (!/^(https?|wss?):$/.test(protocol) || served.has(hostname)) continue;
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
