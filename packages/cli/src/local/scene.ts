// Serves folders and servers of this machine with the bundled nginx, behind the link.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfThisMachine } from '@pronghorn/core/network';
import type { Campaign, Condition } from '@pronghorn/core/schemas';
import { counted, listed as inWords } from '@pronghorn/core/text';
import { type LocalHost, type LocalOrigin, localAddresses, localPlace, localPort, NoBuild, startLocalOrigin } from '@pronghorn/origin';
import { type DemoOrigin, type Link, openLink, originNetwork } from '@pronghorn/runner';
import type { LinkWishes } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, makeFolder } from '../program/files.ts';
import { wrap } from '../program/terminal.ts';

interface LocalScene {
  lab: DemoOrigin;
  origin: LocalOrigin;
  link(): Promise<Link>;
  created(campaign: Campaign): void;
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
