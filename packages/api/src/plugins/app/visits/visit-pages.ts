// All visits of a campaign, a few hundred at a time, so that a campaign of any size needs the memory of a few hundred.
import { setImmediate } from 'node:timers/promises';
import type { Visit } from '@pronghorn/core/schemas';
import type { VisitFilter, VisitsRepository } from './visits-repository.ts';

/** So many are read in a few milliseconds. */
const visitsAtOnce = 250;

/**
 * Yields the visits that are there when it begins, in the order of their arrival, and ends soon after the last of them. No read stays open
 * between pages: writers never wait, and the database's log can be cut back. Visits never change; whether one counts may be decided
 * meanwhile.
 *
 * @param atOnce visits of a page, for who does more with each than write it down: between pages whoever else asks is answered.
 */
export async function* visitPages(
  visits: VisitsRepository,
  campaignId: number,
  filter: VisitFilter,
  atOnce = visitsAtOnce,
): AsyncGenerator<Visit[]> {
  const newest = visits.newestSeq(campaignId);
  for (let cursor: number | null = null; ; ) {
    const { items, nextCursor } = visits.page(campaignId, filter, { limit: atOnce, cursor });
    if (items.length > 0) yield items;
    cursor = Number(nextCursor);
    if (nextCursor === null || cursor >= newest) return;
    await setImmediate();
  }
}
