// What a limit on CPU time did to this process and its children. The kernel lets processes with such a limit run at full speed, and then not at
// all for the rest of each 100 ms: that looks like a slow page, and shares of the machine's CPU time don't show it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CgroupMount, cgroupMounts } from './cgroups.ts';

/**
 * How long CPU limits kept this process's cgroup waiting until now (Docker's --cpus, Kubernetes' limits.cpu, systemd's CPUQuota): ms, summed
 * over cores. The limits of all cgroups above it count, as far as they are seen from here: cpu.stat of each (throttled_usec of version 2,
 * throttled_time of version 1, nanoseconds). What those above did to it is in its own cpu.stat.local, since Linux 6.6.
 *
 * @returns 0 where there is no such cgroup
 */
export function throttledMs(): number {
  files ??= findFiles();
  const ofEach = files.stats.reduce((sum, file) => sum + read(file), 0);
  return Math.max(ofEach, read(files.local));
}

let files: { stats: string[]; local: string } | undefined;

function read(file: string): number {
  const [, unit = '', count = '0'] = (existsSync(file) && /^throttled_(usec|time) (\d+)$/m.exec(readFileSync(file, 'utf8'))) || [];
  return Number(count) / (unit === 'usec' ? 1e3 : 1e6);
}

function findFiles(): { stats: string[]; local: string } {
  const mounts = cgroupMounts();
  const first = mounts.find(({ version, options }) => version === 1 && options.includes('cpu'));
  const mount = first ?? mounts.find(({ version }) => version === 2);
  if (mount === undefined) return { stats: [], local: '' };
  const folders: string[] = [];
  for (let folder = ownFolder(mount); ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === mount.root || folder === '/') break;
  }
  return { stats: folders.map((folder) => join(folder, 'cpu.stat')), local: join(folders[0] ?? '', 'cpu.stat.local') };
}

/** In a container the hierarchy may be mounted from its own cgroup on, while /proc tells the path from the machine's root. */
function ownFolder({ root, version }: CgroupMount): string {
  const controller = version === 2 ? '' : 'cpu';
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line) ?? [])
    .find(([, controllers = '']) => controllers.split(',').includes(controller));
  const folder = join(root, own?.[2] ?? '/');
  return existsSync(folder) ? folder.replace(/(?<=.)\/$/, '') : root;
}
