// What runners did lately, read from the leases. Only of late: the table has every attempt that ever was.
import type { RunnersWork, RunnerWork } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';

declare module 'fastify' {
  interface FastifyInstance {
    runnerWork: RunnerWorkRepository;
  }
}

type Counted = { runnerId: number; roundsDone: number; roundsLost: number };
type Attempt = Omit<RunnerWork['rounds'][number], 'roundId' | 'campaignId' | 'leasedAt' | 'endedAt'> & {
  roundId: number;
  campaignId: number;
  leasedAt: number;
  endedAt: number | null;
};

export type RunnerWorkRepository = ReturnType<typeof createRunnerWorkRepository>;

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
      return { roundsDone, roundsLost, browser, rounds: latest.map(toRound) };
    },
  };
}

function toRound({ roundId, campaignId, leasedAt, endedAt, ...attempt }: Attempt): RunnerWork['rounds'][number] {
  return {
    ...attempt,
    roundId: String(roundId),
    campaignId: String(campaignId),
    leasedAt: new Date(leasedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
  };
}

export default fp(
  async (app) => {
    app.decorate('runnerWork', createRunnerWorkRepository(app.database));
  },
  { name: 'runner-work-repository', dependencies: ['sqlite'] },
);
