// Chrome and the origin before everything else on the machine: a cgroup with the highest CPU weight. `nice` would not do: it
// doesn't reach Chrome's children.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cgroupMounts } from './cgroups.ts';
import { processIdentity } from './process-identity.ts';

export interface Priority {
  kind: 'cgroup' | 'none';
  /** Put before a program and its arguments: starts it with priority. */
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
    // Something in it still runs, or it is gone already: the next start looks again.
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
