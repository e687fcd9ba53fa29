import type { Database } from '../../../storage/database.ts';

/** What of visits is removed when it is old; the visits themselves stay. */
export type Content = 'resources' | 'evidence';
/** A visit that is old enough. */
export type OldVisit = { seq: number; id: string };

/** Owns the tables retention_marks and daily_jobs; what is old it reads from visits and leases. */
export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

export function createRetentionRepository(database: Database) {
  const selectMark = database.prepare<[Content], { throughSeq: number }>('SELECT throughSeq FROM retention_marks WHERE what = ?');
  const upsertMark = database.prepare<[Content, number, string]>(
    `INSERT INTO retention_marks (what, throughSeq, removedAt) VALUES (?, ?, ?)
     ON CONFLICT (what) DO UPDATE SET throughSeq = max(throughSeq, excluded.throughSeq), removedAt = excluded.removedAt`,
  );
  // The lease's time is the service's own; a visit's is its runner's, whose clock may be wrong.
  const selectNext = database.prepare<[number, number], OldVisit & { leasedAt: number }>(
    `SELECT seq, visits.id, leasedAt FROM visits JOIN leases ON leases.roundId = visits.roundId AND leases.attempt = visits.attempt
     WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const claim = database.prepare<{ name: string; now: number; before: number }>(
    `INSERT INTO daily_jobs (name, startedAt) VALUES (@name, @now)
     ON CONFLICT (name) DO UPDATE SET startedAt = excluded.startedAt WHERE startedAt <= @before`,
  );
  const selectStarted = database.prepare<[string], { startedAt: number }>('SELECT startedAt FROM daily_jobs WHERE name = ?');

  return {
    /** Contents of visits up to this one are removed; 0: of none. */
    mark: (what: Content): number => selectMark.get(what)?.throughSeq ?? 0,
    /** @param time ISO 8601. */
    setMark: (what: Content, throughSeq: number, time: string): void => void upsertMark.run(what, throughSeq, time),

    /**
     * The next visits in the order of their arrival, up to the first that is too young.
     * @param before milliseconds since 1970: what was leased before is old.
     */
    oldAfter(seq: number, before: number, atMost: number): OldVisit[] {
      const next = selectNext.all(seq, atMost);
      const young = next.findIndex(({ leasedAt }) => leasedAt >= before);
      return young === -1 ? next : next.slice(0, young);
    },

    /** Whether a job is this process's to do now: nobody began it for a day. */
    claim: (name: string, now: number): boolean => claim.run({ name, now, before: now - dayMs }).changes === 1,
    /** When a job is due, milliseconds since 1970. */
    dueAt: (name: string): number => (selectStarted.get(name)?.startedAt ?? -dayMs) + dayMs,
  };
}

export const dayMs = 86_400_000;
