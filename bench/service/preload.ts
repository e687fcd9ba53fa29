// Fills a database with campaigns that are done: visits with metrics and without resources, made by SQL at some 50,000 a second.
import { randomUUID } from 'node:crypto';
import { buildApi } from '../../packages/api/src/app.ts';
import { pageMetricNames } from '../../packages/core/src/vocabulary/index.ts';

/** Of each campaign: sites × conditions × protocols in each of its rounds. */
const shape = { sites: 5, conditions: ['native', '4g', 'latency-50', 'loss-1'], protocols: ['h1', 'h2', 'h3'] } as const;
const visitsEachRound = shape.sites * shape.conditions.length * shape.protocols.length;

/**
 * @param visits about how many, over all campaigns
 * @returns the ids of the campaigns
 */
export async function preload(database: string, evidenceDirectory: string, visits: number, campaigns = 40): Promise<string[]> {
  const app = await buildApi({ database, evidenceDirectory, queue: { maxOpenRounds: 1e9 } });
  try {
    const rounds = Math.max(1, Math.round(visits / campaigns / visitsEachRound));
    const ids: string[] = [];
    for (let index = 0; index < campaigns; index++) {
      ids.push(
        await app.queue.submit({
          sites: Array.from({ length: shape.sites }, (_, site) => ({ url: `https://site-${site}.example/` })),
          conditions: [...shape.conditions],
          protocols: [...shape.protocols],
          rounds,
          seed: index,
        }),
      );
    }
    await app.write(() => {
      const now = Date.now();
      const columns = app.database.pragma('table_info(visits)') as { name: string; type: string }[];
      const counts = new Set(columns.filter(({ type }) => type === 'INTEGER').map(({ name }) => name));
      // A random number that looks like a time, a count or a share.
      const randomOf = (name: string) =>
        name.endsWith('Share')
          ? 'abs(random() % 1000) / 1000.0'
          : counts.has(name)
            ? 'abs(random() % 100)'
            : '500 + abs(random() % 1500000) / 1000.0';
      app.database
        .prepare(
          `INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt, state, endedAt)
           SELECT lower(hex(randomblob(16))), id, 1, 'preload', @now - 30000, @now, 'completed', @now FROM rounds`,
        )
        .run({ now });
      app.database.exec(
        `INSERT INTO visits (id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, finalUrl, cpuOwnShare,
           cpuForeignShare, refused, receiveDrops, contentHash, verdict, counted, ${pageMetricNames})
         SELECT lower(hex(randomblob(16))), campaignId, rounds.id, 1, slot.key, slot.value, slot.key, 0, '2026-03-01T12:00:00.000Z', 1500,
           'https://site.example/', 0.5, 0.01, '[]', 0, randomblob(32), 'valid', 1, ${pageMetricNames.map(randomOf)}
         FROM rounds CROSS JOIN json_each('${JSON.stringify(shape.protocols)}') AS slot ORDER BY rounds.id`,
      );
      app.database.exec(`UPDATE rounds SET state = 'done', attempt = 1; UPDATE campaigns SET state = 'done', finishedAt = createdAt`);
      app.database.exec('ANALYZE');
    });
    return ids;
  } finally {
    await app.close();
  }
}

if (import.meta.main) {
  const [database = `/tmp/${randomUUID()}.db`, visits = '1000000'] = process.argv.slice(2);
  const start = performance.now();
  await preload(database, `${database}.evidence`, Number(visits));
  console.log(`${database}: ${visits} visits in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
