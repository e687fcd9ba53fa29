// Which folders and servers a campaign was begun on: what `resume` opens again. A file for each such campaign, in the data folder.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Campaign } from '@pronghorn/core/schemas';
import type { LocalHost } from '@pronghorn/origin';
import { type DataFolder, makeFolder, UsageError } from '../data.ts';
import { folderDomain, serverDomain } from './targets.ts';

export interface Remembered {
  hosts: readonly LocalHost[];
  outside: boolean;
  world: boolean;
  /** Of the folders' contents, by host. */
  versions: Record<string, string>;
}

const folderOf = (data: DataFolder) => join(data.path, 'local-sites');

export function remember(data: DataFolder, campaignId: string, what: Remembered): void {
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
