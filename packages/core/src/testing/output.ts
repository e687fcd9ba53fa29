// For tests of programs that tell how far they are.
import type { ChildProcess } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { writeSync } from 'node:fs';

/**
 * Waits for the next thing that a program says.
 *
 * @param from where it arrives, if not on its standard output as it comes
 * @returns the arguments of the event
 * @throws Error if it ends before, or has ended: nothing would ever come
 */
export async function nextOutput(
  child: ChildProcess,
  from: EventEmitter | null = child.stdout,
  event: 'data' | 'line' = 'data',
): Promise<unknown[]> {
  const ended = () =>
    new Error(
      `A program ended with ${child.signalCode ?? `exit code ${child.exitCode}`} before it said more: ${child.spawnargs.join(' ')}`,
    );
  if (from === null || ((child.exitCode ?? child.signalCode) !== null && child.stdout?.closed !== false)) throw ended();
  const stop = new AbortController();
  try {
    // Its output arrives before that.
    const end = once(child, 'close', stop).then(() => Promise.reject(ended()));
    return await Promise.race([once(from, event, stop), end]);
  } finally {
    stop.abort();
  }
}

/**
 * Says a line on standard output before it returns, for a program that may be killed at any moment. What reads it may be busy: a full pipe takes
 * nothing then, and is waited for.
 */
export function sayAtOnce(line: string): void {
  for (let left = Buffer.from(`${line}\n`); left.length > 0; ) {
    try {
      left = left.subarray(writeSync(process.stdout.fd, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
