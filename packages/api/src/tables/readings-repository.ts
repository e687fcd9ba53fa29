// Reads what the metrics of the service say of the database: over tables of several owners, cheap enough for every scrape.
import { statSync } from 'node:fs';
import type { Database } from '../storage/database.ts';

/**
 * How often something happened; `le`, where it is, is the bucket that its duration fell into. Triggers of the counted tables write them into
 * the table totals: it holds for all processes and never shrinks.
 */
export type Total = { what: string; labels: Record<string, string>; le: number | null; count: number; seconds: number };

/** @param rank place in `priorities`. @param since when the first of the campaigns that wait was queued, milliseconds since 1970. */
export type OpenRounds = { rank: number; queued: number; leased: number; since: number | null };

/** @param freeBytes pages in the file that wait for reuse. @param logBytes beside the file. */
export type DatabaseSize = { fileBytes: number; freeBytes: number; logBytes: number };

export function createReadingsRepository(database: Database) {
  const selectTotals = database.prepare<[], { what: string; labels: string; count: number; seconds: number }>('SELECT * FROM totals');
  const selectOpen = database.prepare<[], OpenRounds>(
    `SELECT rank, sum(queued) AS queued, sum(leased) AS leased, min(iif(queued > 0, queuedAt, NULL)) AS since
     FROM campaign_progress CROSS JOIN queue_entries USING (campaignId) WHERE queued > 0 OR leased > 0 GROUP BY rank`,
  );
  const selectAny = database.prepare('SELECT id FROM campaigns LIMIT 1');
  const pragma = (name: string) => Number(database.pragma(name, { simple: true }));

  return {
    totals: (): Total[] =>
      selectTotals.all().map(({ labels, ...row }) => {
        const { le = null, ...named } = JSON.parse(labels) as Record<string, string> & { le?: number | null };
        return { ...row, labels: named, le };
      }),

    /** Of each priority that has any. */
    openRounds: (): OpenRounds[] => selectOpen.all(),

    size: (): DatabaseSize => ({
      fileBytes: pragma('page_count') * pragma('page_size'),
      freeBytes: pragma('freelist_count') * pragma('page_size'),
      logBytes: statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    }),

    /** @throws Error of SQLite where the database can't be read. */
    assertReadable: (): void => void selectAny.get(),
  };
}
