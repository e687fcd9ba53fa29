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
  const upsertStarted = database.prepare<[string, number]>(
    'INSERT INTO daily_jobs (name, startedAt) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET startedAt = excluded.startedAt',
  );
  const selectStarted = database.prepare<[string], { startedAt: number }>('SELECT startedAt FROM daily_jobs WHERE name = ?');
  const removeJob = database.prepare<[string]>('DELETE FROM daily_jobs WHERE name = ?');
  const claim = database.transaction((name: string, now: number): boolean => {
    if (now < dueAt(name)) return false;
    upsertStarted.run(underWay(name), now);
    return true;
  });
  const finish = database.transaction((name: string, claimedAt: number): void => {
    upsertStarted.run(name, claimedAt);
    removeJob.run(underWay(name));
  });
  const startOf = (name: string): number => selectStarted.get(name)?.startedAt ?? Number.NEGATIVE_INFINITY;
  const dueAt = (name: string): number => Math.max(startOf(name) + dayMs, startOf(underWay(name)) + abandonedMs, 0);

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

    /**
     * Whether a job is this process's to do now: it was not done for a day, and nobody is at it. Who got it says by `extend` that it is at
     * it, and by `finish` or `release` that it is not any more; who died at it is waited for no longer than `abandonedMs`.
     */
    claim: (name: string, now: number): boolean => claim.immediate(name, now),
    extend: (name: string, now: number): void => void upsertStarted.run(underWay(name), now),
    /** It was done to its end. @param claimedAt a day from then it is due again. */
    finish: (name: string, claimedAt: number): void => finish.immediate(name, claimedAt),
    /** It was cut off: whoever looks next goes on with it. */
    release: (name: string): void => void removeJob.run(underWay(name)),
    /** When a job is due, milliseconds since 1970. */
    dueAt,
  };
}

/** The row that says who is at a job since when; the job's own says when it last began of those times that it came to its end. */
const underWay = (name: string) => `${name} under way`;

export const dayMs = 86_400_000;
/** Much longer than any step takes: who says nothing for so long was killed. */
export const abandonedMs = 5 * 60_000;
/** How often who is at a job says so. */
export const extendEveryMs = 60_000;
