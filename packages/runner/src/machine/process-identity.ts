import { readFileSync } from 'node:fs';

/**
 * Names a process for good: pids are used again, a pid with its start time is not.
 *
 * @returns pid and start time in clock ticks since boot (proc_pid_stat(5), field 22), or undefined when there is no such process
 */
export function processIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, it only waits to be asked how.
    return state === 'Z' ? undefined : `${pid}-${fields[18]}`;
  } catch {
    return undefined;
  }
}
