// What a limit on CPU time did to this process and its children. The kernel lets processes with such a limit run at full speed, and then not at
// all for the rest of each 100 ms: that looks like a slow page, and shares of the machine's CPU time don't show it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cgroupMounts } from './cgroups.ts';

/**
 * How long this process's cgroup was kept waiting by its CPU limit until now (Docker's --cpus, Kubernetes' limits.cpu, systemd's CPUQuota): ms,
 * summed over cores. From cpu.stat of cgroups of version 2 (throttled_usec), else of version 1 (throttled_time, nanoseconds).
 *
 * @returns 0 where there is no such cgroup
 */
export function throttledMs(): number {
  statFile ??= findStatFile();
  const [, unit = '', count = '0'] = (statFile === '' ? null : throttled.exec(readFileSync(statFile, 'utf8'))) ?? [];
  return Number(count) / (unit === 'usec' ? 1e3 : 1e6);
}

const throttled = /^throttled_(usec|time) (\d+)$/m;
/** Undefined: not looked for yet; empty: there is none. */
let statFile: string | undefined;

/** In a container the hierarchy may be mounted from its own cgroup on, while /proc tells the path from the machine's root. */
function findStatFile(): string {
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line) ?? [])
    .map(([, controllers = '', path = '']) => ({ controllers: controllers.split(','), path }));
  const files = cgroupMounts()
    .filter(({ version, options }) => version === 2 || options.includes('cpu'))
    .flatMap(({ version, root }) => {
      const path = own.find(({ controllers }) => controllers.includes(version === 2 ? '' : 'cpu'))?.path ?? '';
      return [join(root, path, 'cpu.stat'), join(root, 'cpu.stat')];
    });
  return files.find((file) => existsSync(file) && throttled.test(readFileSync(file, 'utf8'))) ?? '';
}
