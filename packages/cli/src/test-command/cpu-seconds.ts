import { readFileSync } from 'node:fs';

const fields = ['utime', 'stime', 'cutime', 'cstime'] as const;

/** CPU time of this process, and (c…) of the programs that it started and waited for: proc_pid_stat(5), in ticks of 10 ms. */
export function cpuSeconds(wanted: readonly (typeof fields)[number][] = fields): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11);
  return wanted.reduce((sum, field) => sum + Number(ticks[fields.indexOf(field)]), 0) / 100;
}
