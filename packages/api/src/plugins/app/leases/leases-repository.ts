import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';

declare module 'fastify' {
  interface FastifyInstance {
    leases: LeasesRepository;
  }
}

export type LeaseState = 'active' | 'completed' | 'released' | 'lost';

/** Times in milliseconds since 1970. */
export type LeaseRow = {
  id: string;
  roundId: number;
  attempt: number;
  runner: string;
  leasedAt: number;
  expiresAt: number;
  state: LeaseState;
  /** Why it ended otherwise than completed. */
  reason: string | null;
};

/** Owns the table leases: one for each attempt of a round. */
export type LeasesRepository = ReturnType<typeof createLeasesRepository>;

export function createLeasesRepository(database: Database) {
  const insert = database.prepare(
    `INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt) VALUES (@id, @roundId, @attempt, @runner, @leasedAt, @expiresAt)`,
  );
  const select = database.prepare<[string], LeaseRow>('SELECT * FROM leases WHERE id = ?');
  const selectExpired = database.prepare<[number], LeaseRow>(`SELECT * FROM leases WHERE state = 'active' AND expiresAt <= ?`);
  const selectActiveOf = database.prepare<{ runner: string; campaignId: number | null }, LeaseRow>(
    `SELECT leases.* FROM leases JOIN rounds ON rounds.id = roundId
     WHERE leases.state = 'active' AND runner = @runner AND (@campaignId IS NULL OR campaignId = @campaignId)`,
  );
  const updateExpiry = database.prepare<[number, string]>('UPDATE leases SET expiresAt = ? WHERE id = ?');
  const updateState = database.prepare<[LeaseState, string | null, string]>('UPDATE leases SET state = ?, reason = ? WHERE id = ?');

  return {
    insert: (lease: Omit<LeaseRow, 'state' | 'reason'>): void => void insert.run(lease),
    find: (id: string): LeaseRow | undefined => select.get(id),
    expiredAt: (now: number): LeaseRow[] => selectExpired.all(now),
    activeOf: (runner: string, campaignId: number | null): LeaseRow[] => selectActiveOf.all({ runner, campaignId }),
    extend: (id: string, expiresAt: number): void => void updateExpiry.run(expiresAt, id),
    end: (id: string, state: Exclude<LeaseState, 'active'>, reason: string | null): void => void updateState.run(state, reason, id),
  };
}

export default fp(
  async (app) => {
    app.decorate('leases', createLeasesRepository(app.database));
  },
  { name: 'leases-repository', dependencies: ['sqlite'] },
);
