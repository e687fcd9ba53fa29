import type { Database } from '../storage/database.ts';

export type LeaseState = 'active' | 'completed' | 'released' | 'lost';

/** Times in milliseconds since 1970. */
export type LeaseRow = {
  id: string;
  roundId: number;
  attempt: number;
  runner: string;
  /** Null: the runner is not registered. */
  runnerId: number | null;
  /** Of who asked for it; null: access is open. */
  tokenId: number | null;
  leasedAt: number;
  expiresAt: number;
  state: LeaseState;
  /** Why it ended otherwise than completed. */
  reason: string | null;
  /** Released because its runner failed. */
  failed: 0 | 1;
  /** Null: it is active, or nobody wrote it down. */
  endedAt: number | null;
};

/** Owns the table leases: one for each attempt of a round. */
export function createLeasesRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO leases (id, roundId, attempt, runner, runnerId, tokenId, leasedAt, expiresAt)
     VALUES (@id, @roundId, @attempt, @runner, @runnerId, @tokenId, @leasedAt, @expiresAt)`,
  );
  const select = database.prepare<[string], LeaseRow>('SELECT * FROM leases WHERE id = ?');
  const selectAttempt = database.prepare<[number, number], LeaseRow>('SELECT * FROM leases WHERE roundId = ? AND attempt = ?');
  const updateBeyond = database.prepare<{ beyond: number; anew: number }>(
    `UPDATE leases SET expiresAt = @anew WHERE state = 'active' AND expiresAt > @beyond`,
  );
  const selectExpired = database.prepare<[number], LeaseRow>(`SELECT * FROM leases WHERE state = 'active' AND expiresAt <= ?`);
  const selectActiveOf = database.prepare<{ runner: string; campaignId: number | null }, LeaseRow>(
    `SELECT leases.* FROM leases JOIN rounds ON rounds.id = roundId
     WHERE leases.state = 'active' AND runner = @runner AND (@campaignId IS NULL OR campaignId = @campaignId)`,
  );
  const selectHeldBy = database.prepare<[number], LeaseRow>(`SELECT * FROM leases WHERE runnerId = ? AND state = 'active'`);
  const selectUrlsOfCalls = database.prepare<[], { url: string }>(
    `SELECT url FROM leases INDEXED BY leases_by_expiry JOIN rounds ON rounds.id = roundId JOIN sites ON sites.id = siteId
     JOIN queue_entries USING (campaignId) WHERE leases.state = 'active' AND engine = 'transaction'`,
  );
  const selectUnregistered = database.prepare<[number], { runners: number }>(
    `SELECT count(DISTINCT runner) AS runners FROM leases JOIN rounds ON rounds.id = roundId
     WHERE rounds.state = 'leased' AND campaignId = ? AND leases.state = 'active' AND runnerId IS NULL`,
  );
  const selectCompleted = database.prepare<[number], { campaignId: number; tookMs: number }>(
    `SELECT campaignId, endedAt - leasedAt AS tookMs FROM leases JOIN rounds ON rounds.id = roundId
     WHERE leases.state = 'completed' AND endedAt > 0 ORDER BY endedAt DESC LIMIT ?`,
  );
  const updateFailed = database.prepare<[string]>('UPDATE leases SET failed = 1 WHERE id = ?');
  const selectFitter = database.prepare<{ roundId: number }>(
    `SELECT 1 FROM leases WHERE state = 'completed' AND endedAt > (SELECT min(endedAt) FROM leases WHERE roundId = @roundId AND failed = 1)
       AND runner IN (SELECT runner FROM leases WHERE roundId = @roundId AND failed = 1) LIMIT 1`,
  );
  const updateExpiry = database.prepare<[number, string]>('UPDATE leases SET expiresAt = ? WHERE id = ?');
  const updateState = database.prepare<[LeaseState, string | null, number, string]>(
    'UPDATE leases SET state = ?, reason = ?, endedAt = ? WHERE id = ?',
  );

  return {
    insert: (lease: Omit<LeaseRow, 'state' | 'reason' | 'failed' | 'endedAt'>): void => void insert.run(lease),
    find: (id: string): LeaseRow | undefined => select.get(id),
    ofAttempt: (roundId: number, attempt: number): LeaseRow | undefined => selectAttempt.get(roundId, attempt),
    expiredAt: (now: number): LeaseRow[] => selectExpired.all(now),
    activeOf: (runner: string, campaignId: number | null): LeaseRow[] => selectActiveOf.all({ runner, campaignId }),
    /** Of those that end after `beyond`, which only a clock that was ahead could give. */
    expireAnew: (beyond: number, anew: number): void => void updateBeyond.run({ beyond, anew }),
    extend: (id: string, expiresAt: number): void => void updateExpiry.run(expiresAt, id),
    end: (id: string, state: Exclude<LeaseState, 'active'>, reason: string | null, endedAt: number): void =>
      void updateState.run(state, reason, endedAt, id),
    /** Says of one that is released that its runner failed. */
    noteFailure: (id: string): void => void updateFailed.run(id),
    /** Whether a runner that failed at a round has completed another one since the first failure: then it is not the runner. */
    failedBySomeoneFit: (roundId: number): boolean => selectFitter.get({ roundId }) !== undefined,

    /** Of a registered runner. */
    heldBy: (runnerId: number): LeaseRow[] => selectHeldBy.all(runnerId),
    /** Where REST calls are sent now. */
    urlsOfCalls: (): string[] => selectUrlsOfCalls.all().map(({ url }) => url),
    /** Runners at work on a campaign that are not registered. */
    countUnregistered: (campaignId: number): number => selectUnregistered.get(campaignId)?.runners ?? 0,
    /** How long the latest completed rounds took, newest first. */
    latestCompleted: (limit: number): { campaignId: number; tookMs: number }[] => selectCompleted.all(limit),
  };
}
