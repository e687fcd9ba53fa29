import type { Capabilities, Page, RunnerHeartbeat, RunnerRegistration } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';

declare module 'fastify' {
  interface FastifyInstance {
    runners: RunnersRepository;
  }
}

/** Times in milliseconds since 1970. */
export type RunnerRow = {
  id: number;
  name: string;
  instance: string;
  location: string | null;
  version: string;
  protocol: number;
  capabilities: Capabilities;
  machine: RunnerRegistration['machine'];
  registeredAt: number;
  seenAt: number;
  doing: RunnerHeartbeat['doing'];
  trouble: string | null;
  cpuShare: number | null;
  /** The sequence of the last sign that counted. */
  signs: number;
  turnCampaignId: number | null;
  turnBeganAt: number | null;
  /** That it registered with; null: access was open. */
  tokenId: number | null;
  /** The round that it has. */
  roundId: number | null;
};

type Sign = Omit<RunnerHeartbeat, 'instance'>;
type Stored = Omit<RunnerRow, 'capabilities' | 'machine'> & { capabilities: string; machine: string };

const toRow = (stored: Stored): RunnerRow => ({
  ...stored,
  capabilities: JSON.parse(stored.capabilities) as Capabilities,
  machine: JSON.parse(stored.machine) as RunnerRow['machine'],
});

/** Owns the table runners: each that ever registered, until it is forgotten. */
export type RunnersRepository = ReturnType<typeof createRunnersRepository>;

export function createRunnersRepository(database: Database) {
  const upsert = database.prepare(
    `INSERT INTO runners (name, instance, location, version, protocol, capabilities, machine, tokenId, registeredAt, seenAt)
     VALUES (@name, @instance, @location, @version, @protocol, @capabilities, @machine, @tokenId, @now, @now)
     ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, location = excluded.location, version = excluded.version,
       protocol = excluded.protocol, capabilities = excluded.capabilities, machine = excluded.machine, tokenId = excluded.tokenId, seenAt = excluded.seenAt,
       doing = 'working', trouble = NULL, cpuShare = NULL, signs = iif(instance = excluded.instance, signs, 0),
       registeredAt = iif(instance = excluded.instance, registeredAt, excluded.registeredAt),
       turnCampaignId = iif(instance = excluded.instance, turnCampaignId, NULL)`,
  );
  const readable = `*, (SELECT roundId FROM leases WHERE runnerId = runners.id AND state = 'active' ORDER BY leasedAt DESC LIMIT 1) AS roundId
     FROM runners`;
  const select = database.prepare<[number], Stored>(`SELECT ${readable} WHERE id = ?`);
  const selectNamed = database.prepare<[string], Stored>(`SELECT ${readable} WHERE name = ?`);
  const selectPage = database.prepare<{ cursor: number | null; limit: number }, Stored>(
    `SELECT ${readable} WHERE id > coalesce(@cursor, 0) ORDER BY id LIMIT @limit + 1`,
  );
  const selectSeen = database.prepare<[number], Stored>(`SELECT ${readable} WHERE seenAt >= ? AND doing = 'working'`);
  // What was said before what is known already, or after good-bye, came late.
  const updateHeartbeat = database.prepare(
    `UPDATE runners SET seenAt = @now, doing = @doing, trouble = @trouble, cpuShare = @cpuShare, signs = coalesce(@sequence, signs)
     WHERE id = @id AND doing <> 'stopped' AND (@sequence IS NULL OR @sequence > signs)`,
  );
  const updateSeen = database.prepare<[number, number]>('UPDATE runners SET seenAt = ? WHERE id = ?');
  const updateTurn = database.prepare<[number, number, number]>('UPDATE runners SET turnCampaignId = ?, turnBeganAt = ? WHERE id = ?');
  const remove = database.prepare<[number]>('DELETE FROM runners WHERE id = ?');
  const found = (stored: Stored | undefined) => stored && toRow(stored);

  return {
    /** Stores a runner, or what has changed of the one of its name. */
    register({ capabilities, machine, ...registration }: RunnerRegistration, tokenId: number | null, now: number): void {
      upsert.run({ ...registration, tokenId, capabilities: JSON.stringify(capabilities), machine: JSON.stringify(machine), now });
    },
    find: (id: number): RunnerRow | undefined => found(select.get(id)),
    named: (name: string): RunnerRow | undefined => found(selectNamed.get(name)),
    /** In the order in which they first came. */
    page: ({ limit, cursor }: Slice): Page<RunnerRow> => pageOf(selectPage.all({ cursor, limit }), limit, toRow, (row) => row.id),
    /** Those that want work and have given a sign since then. */
    working: (since: number): RunnerRow[] => selectSeen.all(since).map(toRow),
    /** Of signs that overtook each other the latest counts; after a good-bye none does, until the runner registers again. */
    heartbeat: (id: number, { doing, trouble, cpuShare, sequence }: Sign, now: number): void =>
      void updateHeartbeat.run({ id, doing, trouble, cpuShare, sequence: sequence ?? null, now }),
    see: (id: number, now: number): void => void updateSeen.run(now, id),
    /** From now on it stays with this campaign for a while. */
    beginTurn: (id: number, campaignId: number, now: number): void => void updateTurn.run(campaignId, now, id),
    remove: (id: number): void => void remove.run(id),
  };
}

export default fp(
  async (app) => {
    app.decorate('runners', createRunnersRepository(app.database));
  },
  { name: 'runners-repository', dependencies: ['sqlite'] },
);
