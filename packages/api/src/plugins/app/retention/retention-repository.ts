import type { Database } from '../../../storage/database.ts';
import type { Write } from '../../../storage/write.ts';

/** What of visits is removed when it is old; the visits themselves stay. */
export type Content = 'resources' | 'evidence';
/** A visit that is old enough. */
export type OldVisit = { seq: number; id: string };

/** Owns the tables retention_marks and daily_jobs; what is old it reads from visits and leases. */
export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

export function createRetentionRepository(database: Database, write: Write) {
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
  // What lies beyond now was written by a clock that was wrong then.
  const selectStarted = database.prepare<[string, number], { startedAt: number }>(
    'SELECT startedAt FROM daily_jobs WHERE name = ? AND startedAt <= ?',
  );
  const selectLeasedAfter = database.prepare<{ seq: number; now: number }, { leasedAt: number }>(
    `SELECT leasedAt FROM visits JOIN leases ON leases.roundId = visits.roundId AND leases.attempt = visits.attempt
     WHERE seq > @seq AND leasedAt <= @now ORDER BY seq LIMIT 1`,
  );
  // Whose claim it is, is told by when it was last extended: that is later in each claim than in all before.
  const extendOwn = database.prepare<[number, string, number]>('UPDATE daily_jobs SET startedAt = ? WHERE name = ? AND startedAt = ?');
  const removeOwn = database.prepare<[string, number]>('DELETE FROM daily_jobs WHERE name = ? AND startedAt = ?');
  function claim(name: string, now: number): boolean {
    if (now < dueAt(name, now)) return false;
    upsertStarted.run(underWay(name), now);
    return true;
  }
  function finish(name: string, claimedAt: number, extendedAt: number): void {
    if (removeOwn.run(underWay(name), extendedAt).changes === 1) upsertStarted.run(name, claimedAt);
  }
  const startOf = (name: string, now: number): number => selectStarted.get(name, now + abandonedMs)?.startedAt ?? Number.NEGATIVE_INFINITY;
  const dueAt = (name: string, now: number): number => Math.max(startOf(name, now) + dayMs, startOf(underWay(name), now) + abandonedMs, 0);

  return {
    /** Contents of visits up to this one are removed; 0: of none. */
    mark: (what: Content): number => selectMark.get(what)?.throughSeq ?? 0,
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

    /**
     * A job that is this process's to do now: it was not done for a day, and nobody is at it; else undefined. Who says nothing by `extend`
     * for `abandonedMs` has lost it to whoever claims it next, and changes nothing of that one's claim.
     */
    async claim(name: string, now: number): Promise<JobClaim | undefined> {
      if (!(await write(() => claim(name, now)))) return undefined;
      let extendedAt = now;
      return {
        async extend(at) {
          const isOwn = await write(() => extendOwn.run(at, underWay(name), extendedAt).changes === 1);
          if (isOwn) extendedAt = at;
          return isOwn;
        },
        finish: () => write(() => finish(name, now, extendedAt)),
        release: () => write(() => void removeOwn.run(underWay(name), extendedAt)),
      };
    },
    /** When a job is due, milliseconds since 1970. @param now what was done later than this was not. */
    dueAt,
  };
}

export type JobClaim = {
  /** Says that this process is still at it. @param at milliseconds since 1970. @returns false: it is another's by now. */
  extend(at: number): Promise<boolean>;
  /** It was done to its end: a day from when it was claimed it is due again. */
  finish(): Promise<void>;
  /** It was cut off: whoever looks next goes on with it. */
  release(): Promise<void>;
};

/** The row that says who is at a job since when; the job's own says when it last began of those times that it came to its end. */
const underWay = (name: string) => `${name} under way`;

export const dayMs = 86_400_000;
/** Much longer than any step takes: who says nothing for so long was killed. */
export const abandonedMs = 5 * 60_000;
/** How often who is at a job says so. */
export const extendEveryMs = 60_000;
