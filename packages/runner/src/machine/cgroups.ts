// Where this machine's control groups are (cgroups(7)).
import { readFileSync } from 'node:fs';

export interface CgroupMount {
  root: string;
  version: 1 | 2;
  /** Of version 1: its controllers are among them. */
  options: readonly string[];
}

/** As they are mounted: none where a system or a container has none. */
export function cgroupMounts(): CgroupMount[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([, root = '', type = '', options = '']) =>
      type === 'cgroup' || type === 'cgroup2' ? [{ root, version: type === 'cgroup' ? 1 : 2, options: options.split(',') }] : [],
    );
}
