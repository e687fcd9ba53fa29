// Where this machine's control groups are (cgroups(7)).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processIdentity } from './processes.ts';

interface CgroupMount {
  root: string;
  version: 1 | 2;
  /** In version 1, they include its controllers. */
  options: readonly string[];
}

/** The mounted hierarchies: none if a system or a container has none. */
export function cgroupMounts(): CgroupMount[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, root = '', type = '', options = '']) =>
      type === 'cgroup' || type === 'cgroup2' ? [{ root, version: type === 'cgroup' ? 1 : 2, options: options.split(',') }] : [],
    );
}

// Effects of a CPU limit on this process and its children. The kernel lets processes with such a limit run at full speed, and then not at
// all for the rest of each 100 ms: that looks like a slow page, and shares of the machine's CPU time don't show it.

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

/** In a container the hierarchy may be mounted from its own cgroup on, while /proc has the path from the machine's root. */
function ownFolder({ root, version }: CgroupMount): string {
  const controller = version === 2 ? '' : 'cpu';
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line) ?? [])
    .find(([, controllers = '']) => controllers.split(',').includes(controller));
  const folder = join(root, own?.[2] ?? '/');
  return existsSync(folder) ? folder.replace(/(?<=.)\/$/, '') : root;
}

// Chrome and the origin before everything else on the machine: a cgroup with the highest CPU weight. `nice` would not do: it
// doesn't reach Chrome's children.
export interface Priority {
  kind: 'cgroup' | 'none';
  /** Command prefix that starts a program with priority. */
  enter: readonly string[];
  /** Removes the cgroup once the programs in it have ended. Never throws. */
  release(): void;
}

const none: Priority = { kind: 'none', enter: [], release: () => {} };
const prefix = 'pronghorn-';

/** A cgroup of this process's own, or none where the machine gives it none: not root, or a container without cgroups to write. */
export function claimPriority(): Priority {
  const hierarchy = process.getuid?.() === 0 ? cpuHierarchy() : undefined;
  if (hierarchy === undefined) return none;
  const folder = join(hierarchy.root, `${prefix}${processIdentity(process.pid) ?? process.pid}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, hierarchy.weight.file), hierarchy.weight.highest);
  } catch {
    return none;
  }
  const joining = 'echo $$ > "$0" && exec "$@"';
  return {
    kind: 'cgroup',
    enter: ['/bin/sh', '-c', joining, join(folder, 'cgroup.procs')],
    release: () => remove(folder),
  };
}

/** Removes the cgroups of processes that are gone. */
export function sweepPriorities(): void {
  const root = cpuHierarchy()?.root;
  if (root === undefined) return;
  for (const name of readdirSync(root)) {
    const identity = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
    if (identity !== undefined && processIdentity(Number.parseInt(identity, 10)) !== identity) remove(join(root, name));
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is still in use, or gone already: the next start looks again.
  }
}

/** Where CPU weights are set: cgroups of version 2 with the cpu controller, else version 1. */
function cpuHierarchy(): { root: string; weight: { file: string; highest: string } } | undefined {
  const mounts = cgroupMounts();
  const second = mounts.find(({ version, root }) => version === 2 && controllersBelow(root).includes('cpu'));
  if (second !== undefined) return { root: second.root, weight: { file: 'cpu.weight', highest: '10000' } };
  const first = mounts.find(({ version, options }) => version === 1 && options.includes('cpu'));
  return first === undefined ? undefined : { root: first.root, weight: { file: 'cpu.shares', highest: '262144' } };
}

function controllersBelow(root: string): string[] {
  const file = join(root, 'cgroup.subtree_control');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : [];
}
