// Results of campaigns that the database doesn't have: a backup was restored that is older than they are.
import { setImmediate } from 'node:timers/promises';
import type { ResultsStore } from './results-store.ts';

/** Looked up in one go: less than a millisecond. */
const atOnce = 50;

/**
 * Has the results deleted of each campaign that is no more. Here campaigns are only looked up, a few at a time; they are deleted by
 * `forget`, one after the other, so that what somebody waits for comes in between.
 *
 * @param exists whether the database has a campaign.
 * @param signal ends it; the next start goes on.
 * @returns how many were gone.
 */
export async function forgetGone(
  store: ResultsStore,
  { exists, forget, signal }: { exists(campaignId: number): boolean; forget(campaignId: number): Promise<unknown>; signal: AbortSignal },
): Promise<number> {
  let gone = 0;
  for (let after: number | undefined = 0, looked = 1; !signal.aborted; looked += 1) {
    after = store.nextCampaign(after);
    if (after === undefined) break;
    // Results come after their campaign, so of one that is not there now there is nothing to come.
    if (!exists(after)) {
      gone += 1;
      await forget(after);
    }
    if (looked % atOnce === 0) await setImmediate();
  }
  return gone;
}
