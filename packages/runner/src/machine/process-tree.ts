// Processes below one, and what they took, as /proc tells it.
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUse {
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
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      // proc_pid_stat(5), after the name: 1 ppid, 11 utime, 12 stime, 13 cutime, 14 cstime (of children that ended).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      all.set(pid, {
        pid,
        parent: Number(fields[1]),
        ownTicks: Number(fields[11]) + Number(fields[12]),
        endedTicks: Number(fields[13]) + Number(fields[14]),
      });
    } catch {
      // It ended while we looked.
    }
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

/** Memory of a process that is no file's, in bytes (proc_pid_status(5), RssAnon); 0: it ended, or has none. */
export function anonymousMemory(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
