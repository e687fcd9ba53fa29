// Processes by /proc: their identity, those below one, and what they used.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Identifies a process: pids are reused, a pid with its start time is not.
 *
 * @returns pid and start time in clock ticks since boot (proc_pid_stat(5), field 22), or undefined when there is no such process
 */
export function processIdentity(pid: number): string | undefined {
  const fields = statOf(`/proc/${pid}`)?.fields;
  // A zombie has ended, and waits for its exit code to be read.
  return fields === undefined || fields[0] === 'Z' ? undefined : `${pid}-${fields[19]}`;
}

/**
 * Reads the state of a process, or of a thread below its `task`.
 *
 * @returns its name, and the fields of proc_pid_stat(5) after that, which begin with the state; undefined when it has ended
 */
export function statOf(folder: string): { name: string; fields: string[] } | undefined {
  try {
    const stat = readFileSync(`${folder}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), fields: stat.slice(end + 2).split(' ') };
  } catch {
    return undefined;
  }
}

interface ProcessUse {
  pid: number;
  parent: number;
  /** CPU time in clock ticks: its own, and of children that ended. */
  ownTicks: number;
  endedTicks: number;
}

/** Clock ticks a second (sysconf(_SC_CLK_TCK)): 100 on every architecture that Linux runs browsers on. */
export const ticksPerSecond = 100;

/** A process and all below it that are there now; costs a walk over /proc (about 1 ms). */
export function processTree(root: number): ProcessUse[] {
  const all = new Map<number, ProcessUse>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const fields = statOf(`/proc/${entry}`)?.fields;
    if (fields === undefined) continue;
    // 1 ppid, 11 utime, 12 stime, 13 cutime, 14 cstime (of children that ended).
    const [parent = 0, utime = 0, stime = 0, cutime = 0, cstime = 0] = [1, 11, 12, 13, 14].map((field) => Number(fields[field]));
    all.set(pid, { pid, parent, ownTicks: utime + stime, endedTicks: cutime + cstime });
  }
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; ) {
      if (at === root) return true;
      const next = all.get(at)?.parent;
      if (next === undefined) return false;
      at = next;
    }
    return false;
  };
  return [...all.values()].filter(({ pid }) => isBelow(pid));
}

/** Anonymous memory of a process, in bytes (proc_pid_status(5), RssAnon); 0: it ended, or has none. */
export function anonymousMemory(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
