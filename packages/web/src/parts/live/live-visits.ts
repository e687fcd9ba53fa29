// The visits of a campaign that its page knows of: each once, the newest so many.
import type { Visit } from '@pronghorn/core/schemas';

export type LiveVisit = Pick<Visit, 'id' | 'siteId' | 'condition' | 'view' | 'slot' | 'protocol' | 'roundNumber' | 'startedAt' | 'outcome'>;

export interface LiveVisits {
  /** In the order in which the page learned of them. Grows at its end; another array once some were dropped. */
  readonly all: readonly LiveVisit[];
  /** Changes when `all` is another array. */
  readonly generation: number;
  /** Extra visits, which record a netlog and never count, are left out. @returns how many of them were not known before. */
  add(some: readonly (LiveVisit & Pick<Visit, 'netlog'>)[]): number;
}

/** Dropped that many at a time, so that it is seldom done. */
const spare = 500;

/** @param most more dots than that are neither seen nor drawn quickly. */
export function createLiveVisits(most: number): LiveVisits {
  const known = new Set<string>();
  let all: LiveVisit[] = [];
  let generation = 0;
  return {
    get all() {
      return all;
    },
    get generation() {
      return generation;
    },
    add(some) {
      const before = known.size;
      for (const { id, siteId, condition, view, slot, protocol, roundNumber, startedAt, outcome, netlog } of some) {
        if (known.has(id) || netlog !== undefined) continue;
        known.add(id);
        all.push({ id, siteId, condition, view, slot, protocol, roundNumber, startedAt, outcome });
      }
      const added = known.size - before;
      if (all.length > most + spare) {
        // Ids of those that are dropped stay known: what is read again later is old.
        all = all.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1)).slice(-most);
        generation++;
      }
      return added;
    },
  };
}
