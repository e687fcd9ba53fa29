// Waiting until an exact moment.
import { setImmediate as nextTurn, setTimeout as timer } from 'node:timers/promises';

/**
 * Timers count whole milliseconds and come late, never early: so sleep to within this of the deadline, then look at the
 * clock once in every turn of the event loop. Other requests are served between two looks.
 */
const spinMs = 2.5;

/**
 * Resolves at `deadlineMs` on the clock of `performance.now()`, or at once when that has passed.
 * @throws {AbortError} when `signal` aborts.
 */
export async function until(deadlineMs: number, signal: AbortSignal): Promise<void> {
  const sleepMs = Math.floor(deadlineMs - performance.now() - spinMs);
  if (sleepMs > 0) await timer(sleepMs, undefined, { signal });
  while (performance.now() < deadlineMs) await nextTurn(undefined, { signal });
}
