// What Chrome's processes take of the machine in a run.
import { anonymousMemory, processTree, ticksPerSecond } from '../../machine/process-tree.ts';
import type { Told } from '../program.ts';

const samplingMs = 250;

/**
 * Starts to count. CPU time is of all its processes, in steps of 10 ms for each; memory is the most that they had together at one of the moments
 * that were looked at, without the pages of files that they share.
 *
 * @param pid of Chrome, or of what brought it behind the link
 * @returns what ends it and tells
 */
export function startCosts(pid: number): () => Told['summary']['client'] {
  let peakMemory = 0;
  const read = (): number => {
    const processes = processTree(pid);
    peakMemory = Math.max(
      peakMemory,
      processes.reduce((sum, one) => sum + anonymousMemory(one.pid), 0),
    );
    return processes.reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0) / ticksPerSecond;
  };
  const before = read();
  const timer = setInterval(read, samplingMs);
  return () => {
    clearInterval(timer);
    return { cpuSeconds: read() - before, peakMemory };
  };
}
