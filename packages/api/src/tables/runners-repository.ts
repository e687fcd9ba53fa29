import type { Capabilities, Page, RunnerHeartbeat, RunnerRegistration, RunnersWork, RunnerWork } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../shared/problems.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';

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
  const selectAll = database.prepare<[], Stored>(`SELECT ${readable} ORDER BY id`);
  const selectSeen = database.prepare<[number], Stored>(`SELECT ${readable} WHERE seenAt >= ? AND doing = 'working'`);
  // What was said before what is known already, or after good-bye, came late.
  const updateHeartbeat = database.prepare(
    `UPDATE runners SET seenAt = @now, doing = @doing, trouble = @trouble, cpuShare = @cpuShare, signs = coalesce(@sequence, signs)
     WHERE id = @id AND doing <> 'stopped' AND (@sequence IS NULL OR @sequence > signs)`,
  );
  const updateSeen = database.prepare<[number, number]>('UPDATE runners SET seenAt = ? WHERE id = ?');
  const updateTurn = database.prepare<[number, number, number]>('UPDATE runners SET turnCampaignId = ?, turnBeganAt = ? WHERE id = ?');
  const remove = database.prepare<[number]>('DELETE FROM runners WHERE id = ?');
  const rowOf = (stored: Stored | undefined) => stored && toRow(stored);

  return {
    /** Stores a runner, or what has changed of the one of its name. */
    register({ capabilities, machine, ...registration }: RunnerRegistration, tokenId: number | null, now: number): void {
      upsert.run({ ...registration, tokenId, capabilities: JSON.stringify(capabilities), machine: JSON.stringify(machine), now });
    },
    find: (id: number): RunnerRow | undefined => rowOf(select.get(id)),
    named: (name: string): RunnerRow | undefined => rowOf(selectNamed.get(name)),
    /** In the order in which they first came. */
    page: ({ limit, cursor }: Slice): Page<RunnerRow> => pageOf(selectPage.all({ cursor, limit }), limit, toRow, (row) => row.id),
    all: (): RunnerRow[] => selectAll.all().map(toRow),
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

type Counted = { runnerId: number; roundsDone: number; roundsLost: number };
type Attempt = Omit<RunnerWork['rounds'][number], 'roundId' | 'campaignId' | 'leasedAt' | 'endedAt'> & {
  roundId: number;
  campaignId: number;
  leasedAt: number;
  endedAt: number | null;
};

/** Reads what runners did lately from the leases. Only of late: the table has every attempt that ever was. */
export function createRunnerWorkRepository(database: Database) {
  const counts = (where: string) => `SELECT runnerId, sum(done) AS roundsDone, sum(lost) AS roundsLost FROM (
      SELECT runnerId, 1 AS done, 0 AS lost FROM leases WHERE state = 'completed' AND endedAt > @since
      UNION ALL SELECT runnerId, 0, 1 FROM leases WHERE state = 'lost' AND endedAt > @since
    ) WHERE ${where} GROUP BY runnerId`;
  const selectCounts = database.prepare<{ since: number }, Counted>(counts('runnerId IS NOT NULL'));
  const selectCountsOf = database.prepare<{ since: number; runnerId: number }, Counted>(counts('runnerId = @runnerId'));
  const attempts = (where: string) =>
    `SELECT * FROM (SELECT * FROM leases WHERE ${where} AND runnerId = @runnerId ORDER BY endedAt DESC LIMIT @limit)`;
  const selectLatest = database.prepare<{ since: number; runnerId: number; limit: number }, Attempt>(
    `SELECT roundId, rounds.campaignId, campaign_sites.name AS siteName, condition, held.state, leasedAt, endedAt, held.reason FROM (
       ${attempts(`state = 'active'`)}
       UNION ALL ${attempts(`state = 'completed' AND endedAt > @since`)}
       UNION ALL ${attempts(`state = 'lost' AND endedAt > @since`)}
     ) AS held
     JOIN rounds ON rounds.id = held.roundId
     JOIN campaigns ON campaigns.id = rounds.campaignId AND deletedAt IS NULL
     JOIN campaign_sites ON campaign_sites.campaignId = rounds.campaignId AND campaign_sites.siteId = rounds.siteId
     ORDER BY leasedAt DESC LIMIT @limit`,
  );
  const selectBrowser = database.prepare<[number], { product: string }>(
    `SELECT document ->> '$.browser.product' AS product FROM visits JOIN environments ON environments.id = environmentId
     WHERE roundId = ? ORDER BY seq DESC LIMIT 1`,
  );

  return {
    /** How much each did since then. */
    all: (since: number): RunnersWork['runners'] =>
      selectCounts.all({ since }).map(({ runnerId, ...counted }) => ({ runnerId: String(runnerId), ...counted })),
    /** @param limit of the rounds. */
    of(runnerId: number, since: number, limit: number): Omit<RunnerWork, 'since'> {
      const { roundsDone = 0, roundsLost = 0 } = selectCountsOf.get({ since, runnerId }) ?? {};
      const latest = selectLatest.all({ since, runnerId, limit });
      let browser: string | null = null;
      for (const { roundId } of latest) {
        browser = selectBrowser.get(roundId)?.product ?? null;
        if (browser !== null) break;
      }
      return { roundsDone, roundsLost, browser, rounds: latest.map(toWorkRound) };
    },
  };
}

function toWorkRound({ roundId, campaignId, leasedAt, endedAt, ...attempt }: Attempt): RunnerWork['rounds'][number] {
  return {
    ...attempt,
    roundId: String(roundId),
    campaignId: String(campaignId),
    leasedAt: new Date(leasedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

/** @throws ProblemError not-found or runner-replaced. */
export function ofInstance(row: RunnerRow | undefined, name: string, instance: string): RunnerRow {
  const runner = found(row, `runner ${name}. Register it by POST /api/v1/runners`);
  if (runner.instance === instance) return runner;
  throw new ProblemError(
    'runner-replaced',
    `Another process has registered as runner "${runner.name}" since ${new Date(runner.registeredAt).toISOString()}. End one of the two, or give each a name of its own.`,
  );
}
