// What a server logs: it does so after it has answered, so that a client may be earlier.
import { setTimeout as delay } from 'node:timers/promises';
import { type AccessLogEntry, type Origin, readAccessLog } from '../src/index.ts';

type Logs = Pick<Origin, 'accessLog'>;

/** Entries so far. */
export const logEnd = async ({ accessLog }: Logs): Promise<number> => (await readAccessLog(accessLog)).length;

/** @returns the entries after so many, once they are enough and no more come @throws Error that says how many came */
export async function loggedSince(
  { accessLog }: Logs,
  before: number,
  enough: (entries: AccessLogEntry[]) => boolean,
): Promise<AccessLogEntry[]> {
  const giveUp = performance.now() + 60_000;
  let last = -1;
  for (;;) {
    const entries = (await readAccessLog(accessLog)).slice(before);
    if (enough(entries) && entries.length === last) return entries;
    if (performance.now() > giveUp) throw new Error(`Waited a minute for more in the log than these ${entries.length} requests.`);
    last = entries.length;
    await delay(100);
  }
}
