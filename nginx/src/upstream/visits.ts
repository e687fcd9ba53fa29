// The visits of ground-truth pages that are under way: for each, when its document arrived.
import { randomUUID } from 'node:crypto';

export interface TruthVisit {
  /** Name of the page. */
  page: string;
  /** Arrival of the document's request, on the clock of `performance.now()`. */
  arrivedMs: number;
}

/** Longer than any page takes; a visit that was given up in the middle is forgotten by then. */
export const rememberedMs = 60_000;
const mostVisits = 100_000;

export class Visits {
  readonly #visits = new Map<string, TruthVisit>();

  /** Starts a visit and gives it an id that nobody can guess. */
  start(page: string, arrivedMs: number): string {
    // A Map keeps the order of insertion, so the oldest are the first.
    for (const [id, visit] of this.#visits) {
      if (visit.arrivedMs + rememberedMs > arrivedMs && this.#visits.size < mostVisits) break;
      this.#visits.delete(id);
    }
    const id = randomUUID();
    this.#visits.set(id, { page, arrivedMs });
    return id;
  }

  find(id: string): TruthVisit | undefined {
    return this.#visits.get(id);
  }

  get size(): number {
    return this.#visits.size;
  }
}
