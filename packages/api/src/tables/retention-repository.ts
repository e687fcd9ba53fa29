import type { Database } from '../storage/database.ts';

/** What of visits is removed when it is old; the visits themselves stay. */
export type Content = 'resources' | 'evidence';
/** A visit that is old enough. */
export type OldVisit = { seq: number; id: string };

/** Owns the table retention_marks; what is old it reads from visits and leases. */
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
  const selectLeasedAfter = database.prepare<{ seq: number; now: number }, { leasedAt: number }>(
    `SELECT leasedAt FROM visits JOIN leases ON leases.roundId = visits.roundId AND leases.attempt = visits.attempt
     WHERE seq > @seq AND leasedAt <= @now ORDER BY seq LIMIT 1`,
  );
  const mark = (what: Content): number => selectMark.get(what)?.throughSeq ?? 0;

  return {
    /** Contents of visits up to this one are removed; 0: of none. */
    mark,
    /** Whether the contents of a visit were removed. */
    isRemoved: (what: Content, seq: number): boolean => seq <= mark(what),
    /** @param time ISO 8601. */
    setMark: (what: Content, throughSeq: number, time: string): void => void upsertMark.run(what, throughSeq, time),

    /**
     * The next visits in the order of their arrival, up to the first that is too young. One that was leased by a clock far ahead is as old as
     * the next one after it that was not.
     * @param before milliseconds since 1970: what was leased before is old.
     */
    oldAfter(seq: number, before: number, atMost: number, now: number): OldVisit[] {
      const next = selectNext.all(seq, atMost);
      const young = next.findIndex(({ leasedAt }) => leasedAt >= before && leasedAt <= now);
      const upToYoung = young === -1 ? next : next.slice(0, young);
      const lastOld = upToYoung.findLastIndex(({ leasedAt }) => leasedAt < before);
      const last = upToYoung.at(-1);
      if (young !== -1 || last === undefined || lastOld === upToYoung.length - 1) return upToYoung.slice(0, lastOld + 1);
      const after = selectLeasedAfter.get({ seq: last.seq, now });
      return after !== undefined && after.leasedAt < before ? upToYoung : upToYoung.slice(0, lastOld + 1);
    },
  };
}

/** Owns the table daily_jobs: what is done once a day, by whichever process comes first. Times are milliseconds since 1970. */
export function createDailyJobsRepository(database: Database) {
  const upsertStarted = database.prepare<[string, number]>(
    'INSERT INTO daily_jobs (name, startedAt) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET startedAt = excluded.startedAt',
  );
  // What lies beyond now was written by a clock that was wrong then.
  const selectStarted = database.prepare<[string, number], { startedAt: number }>(
    'SELECT startedAt FROM daily_jobs WHERE name = ? AND startedAt <= ?',
  );
  // Whose claim it is, is told by when it was last extended: that is later in each claim than in all before.
  const extendOwn = database.prepare<[number, string, number]>('UPDATE daily_jobs SET startedAt = ? WHERE name = ? AND startedAt = ?');
  const removeOwn = database.prepare<[string, number]>('DELETE FROM daily_jobs WHERE name = ? AND startedAt = ?');
  const startOf = (name: string, now: number): number => selectStarted.get(name, now + abandonedMs)?.startedAt ?? Number.NEGATIVE_INFINITY;
  /** When a job is due. @param now what was done later than this was not. */
  const dueAt = (name: string, now: number): number => Math.max(startOf(name, now) + dayMs, startOf(underWay(name), now) + abandonedMs, 0);

  return {
    /** Begins a job. @returns false: it was done within a day, or another process is at it. */
    claim(name: string, now: number): boolean {
      if (now < dueAt(name, now)) return false;
      upsertStarted.run(underWay(name), now);
      return true;
    },
    /**
     * Says that who claimed a job is still at it. Who says nothing for `abandonedMs` has lost it to whoever claims it next, and changes nothing of
     * that one's claim.
     * @param extendedAt when that was said last, or the job was claimed. @returns false: it is another's by now.
     */
    extend: (name: string, extendedAt: number, now: number): boolean => extendOwn.run(now, underWay(name), extendedAt).changes === 1,
    /** It was done to its end: a day from when it was claimed it is due again. */
    finish(name: string, claimedAt: number, extendedAt: number): void {
      if (removeOwn.run(underWay(name), extendedAt).changes === 1) upsertStarted.run(name, claimedAt);
    },
    /** It was cut off: whoever looks next goes on with it. */
    release: (name: string, extendedAt: number): void => void removeOwn.run(underWay(name), extendedAt),
    dueAt,
    /** Writes a row, to see whether that can be done. */
    touch: (name: string, now: number): void => void upsertStarted.run(name, now),
  };
}

/** The row that says who is at a job since when; the job's own says when it last began of those times that it came to its end. */
const underWay = (name: string) => `${name} under way`;

export const dayMs = 86_400_000;
/** Much longer than any step takes: who says nothing for so long was killed. */
export const abandonedMs = 5 * 60_000;
/** How often who is at a job says so. */
export const extendEveryMs = 60_000;
