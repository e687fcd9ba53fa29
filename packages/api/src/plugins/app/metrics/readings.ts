// What the state of the world is when it is asked for: reads over tables of several owners, cheap enough for every scrape; changes none.
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { priorities } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';

/** @param now whole milliseconds since 1970. */
export function createReadings(database: Database, evidenceDirectory: string, now: () => number) {
  const selectQueue = database.prepare<[], { rank: number; queued: number; leased: number; since: number | null }>(
    `SELECT rank, sum(queued) AS queued, sum(leased) AS leased, min(iif(queued > 0, queuedAt, NULL)) AS since
     FROM campaign_progress CROSS JOIN queue_entries USING (campaignId) WHERE queued > 0 OR leased > 0 GROUP BY rank`,
  );
  const selectEvidence = database.prepare<[string], { bytes: number }>('SELECT bytes FROM evidence_usage WHERE what = ?');
  const pragma = (name: string) => Number(database.pragma(name, { simple: true }));

  return {
    /** Of each priority: rounds that wait, rounds that runners have, and how long the oldest campaign with waiting rounds is in the queue. */
    queue(): { priority: string; queued: number; leased: number; oldestSeconds: number }[] {
      const rows = selectQueue.all();
      return priorities.map((priority, rank) => {
        const { queued = 0, leased = 0, since = null } = rows.find((row) => row.rank === rank) ?? {};
        return { priority, queued, leased, oldestSeconds: since === null ? 0 : Math.max(0, (now() - since) / 1_000) };
      });
    },

    /** Bytes of the database file, of its pages that wait for reuse, and of its log. */
    database(): { bytes: number; freeBytes: number; logBytes: number } {
      const pageBytes = pragma('page_size');
      return {
        bytes: pragma('page_count') * pageBytes,
        freeBytes: pragma('freelist_count') * pageBytes,
        logBytes: statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      };
    },

    /** Bytes of evidence's files, and of those that are being received. */
    evidence: (): { files: number; incoming: number } => ({
      files: selectEvidence.get('files')?.bytes ?? 0,
      incoming: selectEvidence.get('incoming')?.bytes ?? 0,
    }),

    /** Bytes that are left for the service where the evidence is. */
    async diskFreeBytes(): Promise<number> {
      const { bavail, bsize } = await statfs(evidenceDirectory);
      return bavail * bsize;
    },
  };
}
