// Folders and servers of this machine, served by the bundled nginx behind the link.
import { readFileSync } from 'node:fs';
import type { Campaign, Condition } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { type LocalHost, type LocalOrigin, localAddresses, localPlace, localPort, NoBuild, startLocalOrigin } from '@pronghorn/origin';
import { type DemoOrigin, type Link, openLink, originNetwork } from '@pronghorn/runner';
import type { LinkWishes } from '../commands/perform.ts';
import { type DataFolder, UsageError } from '../data.ts';
import type { House } from '../house.ts';
import { wrap } from '../terminal.ts';
import { tellElsewhere } from './elsewhere.ts';
import { remember } from './remembered.ts';

export interface LocalScene {
  lab: DemoOrigin;
  origin: LocalOrigin;
  link(): Promise<Link>;
  /** Keeps what `resume` needs. */
  created(campaign: Campaign): void;
  /** Tells what pages took from elsewhere. */
  afterwards(house: House, campaign: Campaign): Promise<void>;
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
    tellServed(origin, hosts, link);
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
      afterwards: (house, campaign) => tellElsewhere(house, campaign, { served, outside }),
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

const mostTold = 5;

function tellServed({ snapshots, settings }: LocalOrigin, hosts: readonly LocalHost[], { backend }: Link): void {
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
    const more = left.length > mostTold ? `, and ${left.length - mostTold} more` : '';
    const told = left.slice(0, mostTold).map(({ path, why }) => `${path} (${why})`);
    console.error(wrap(`Not served: ${told.join(', ')}${more}.`));
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;
