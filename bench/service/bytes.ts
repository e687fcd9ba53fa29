// Bytes that the database takes for each visit of 70 resources, with all its rows and indexes, beside a gzipped HAR of the same visits.
// Takes 1 minute. node bench service/bytes [VISITS, default 6000]
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { randomSource } from '../../packages/core/src/math/index.ts';
import { percentiles, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';
import { resourcesEach, visitOf } from '../shared/visits.ts';

const visits = Number(process.argv[2] ?? 6000);
const protocols = ['h1', 'h2', 'h3'] as const;
/** Visits of each campaign, as a schedule creates them. */
const rounds = 100;
const random = randomSource(1);
const took: number[] = [];
const hars: number[] = [];

await using service = await Service.start();
while (took.length < visits) {
  const body = { sites: [{ url: 'https://shop.example/' }], protocols: [...protocols], rounds, seed: took.length };
  await service.client.ask('POST /campaigns', { body });
  for (let round = 0; round < rounds; round++) {
    const lease = await service.lease();
    for (const slot of lease.round.order) {
      const visit = visitOf(lease, slot, Number(lease.round.campaignId), random);
      took.push(await timed(() => service.upload(lease, visit)));
      if (took.length % 50 !== 1) continue;
      hars.push(gzipSync(await service.client.text('GET /visits/{id}/har', { id: visit.id })).length);
    }
    await service.complete(lease);
  }
}
await service.stop();

const database = new DatabaseSync(service.database);
const tables = database
  .prepare(
    `SELECT coalesce((SELECT tbl_name FROM sqlite_schema WHERE sqlite_schema.name = dbstat.name), name) AS name, sum(pgsize) AS bytes
     FROM dbstat GROUP BY 1 ORDER BY 2 DESC LIMIT 8`,
  )
  .all();
const inUse = statSync(service.database).size / took.length;
database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
database.close();
const vacuumed = statSync(service.database).size / took.length;
const har = hars.reduce((sum, size) => sum + size, 0) / hars.length;

const kb = (bytes: number) => `${(bytes / 1000).toFixed(2)} KB`;
console.log(`${took.length} visits of ${resourcesEach} resources, two pages, 5 % of the URLs never seen before`);
console.log(`database   ${kb(inUse)} for each visit, ratio to its gzipped HAR (${kb(har)}) ${(inUse / har).toFixed(2)}`);
console.log(`           ${kb(vacuumed)} after VACUUM, ratio ${(vacuumed / har).toFixed(2)}`);
for (const { name, bytes } of tables) console.log(`           ${kb(Number(bytes) / took.length)} ${name} with its indexes`);
console.log(`upload     ${percentiles(took)}`);
