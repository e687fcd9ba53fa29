// Bytes on disk for each visit of 70 resources, all in (visit, metrics, round, lease, texts, indexes), beside a gzipped HAR of the same visits;
// and what storing one costs the database. Evidence is told apart.
// node bench/service/bytes.ts [VISITS]
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { buildApi } from '../../packages/api/src/app.ts';
import { openDatabase } from '../../packages/api/src/storage/database.ts';
import { median, quantile, randomSource } from '../../packages/core/src/math/index.ts';
import { realisticVisit, resourcesEach } from './realistic-visits.ts';

const visits = Number(process.argv[2] ?? 6000);
const protocols = ['h1', 'h2', 'h3'] as const;
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const file = join(folder, 'pronghorn.db');
const app = await buildApi({ database: file, evidenceDirectory: join(folder, 'evidence') });
try {
  // Campaigns of 100 rounds, as a schedule makes them.
  const rounds = 100;
  for (let made = 0; made < visits; made += rounds * protocols.length) {
    await app.queue.submit(
      { sites: [{ url: 'https://shop.example/' }], protocols: [...protocols], rounds, seed: made },
      { kind: 'schedule', name: 'nightly' },
    );
  }
  const random = randomSource(1);
  const took: number[] = [];
  const hars: number[] = [];
  for (let lease = await app.queue.lease({ runner: 'bench' }); lease; lease = await app.queue.lease({ runner: 'bench' })) {
    for (const slot of lease.round.order) {
      const visit = realisticVisit(lease, slot, Number(lease.round.campaignId), random);
      const start = performance.now();
      await app.queue.upload(lease.id, visit);
      took.push(performance.now() - start);
      if (took.length % 50 === 1) hars.push(gzipSync((await app.inject(`/api/v1/visits/${visit.id}/har`)).rawPayload).length);
    }
    await app.queue.complete(lease.id);
  }
  const tables = app.database
    .prepare<[], { name: string; bytes: number }>(
      `SELECT coalesce((SELECT tbl_name FROM sqlite_schema WHERE sqlite_schema.name = dbstat.name), name) AS name, sum(pgsize) AS bytes
       FROM dbstat GROUP BY 1 ORDER BY 2 DESC LIMIT 8`,
    )
    .all();
  app.database.pragma('wal_checkpoint(TRUNCATE)');
  const inUse = statSync(file).size / took.length;
  const another = openDatabase(file); // VACUUM runs in no transaction, so not within app.write
  another.exec('VACUUM');
  another.pragma('wal_checkpoint(TRUNCATE)');
  another.close();
  const vacuumed = statSync(file).size / took.length;
  const har = hars.reduce((sum, size) => sum + size, 0) / hars.length;
  const fixtures = join(import.meta.dirname, '../../packages/runner/fixtures');
  const evidence = readdirSync(fixtures)
    .filter((name) => name.endsWith('.gz'))
    .map((name) => statSync(join(fixtures, name)).size);

  const kb = (bytes: number) => `${(bytes / 1000).toFixed(2)} KB`;
  console.log(`${took.length} visits of ${resourcesEach} resources, two pages, 5 % of the URLs never seen before`);
  console.log(
    `database   ${kb(inUse)} for each visit as it is in use, ${kb(vacuumed)} after VACUUM: ${(inUse / har).toFixed(2)} of its gzipped HAR (${kb(har)})`,
  );
  for (const { name, bytes } of tables) console.log(`           ${kb(bytes / took.length)} ${name} with its indexes`);
  console.log(
    `evidence   ${kb(evidence.reduce((sum, size) => sum + size, 0) / evidence.length)} for each visit, a file of its own, gzipped`,
  );
  console.log(`storing    p50 ${median(took).toFixed(2)} ms, p99 ${quantile(took, 0.99).toFixed(2)} ms, in the process of the api`);
} finally {
  await app.close();
  rmSync(folder, { recursive: true });
}
