// Health and reads of the service while another process holds the database's lock, as a prompt of sqlite3 may, beside the same without a lock.
// Takes 30 seconds. node bench service/lock [SECONDS of the lock, default 12]
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles, ratios, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const seconds = Number(process.argv[2] ?? 12);
const reads = [
  { name: 'GET /healthz', path: '/healthz', everyMs: 5 },
  { name: 'GET /campaigns', path: '/api/v1/campaigns', everyMs: 20 },
] as const;

await using service = await Service.start();
const { client } = service;
const campaign = { sites: [{ url: 'https://shop.example/' }], rounds: 5 };
const { body: first } = await client.ask('POST /campaigns', { body: campaign });

await readFor(1);
const free = await readFor(seconds);
const holder = new DatabaseSync(service.database);
holder.exec('BEGIN IMMEDIATE');
const changes = Promise.all([
  client.ask('POST /campaigns', { body: campaign }),
  client.ask('POST /campaigns/{id}/cancel', { id: first.id }),
  client.ask('POST /leases', { body: { runner: 'r' } }),
]);
let [waitedMs, statuses] = [0, ''];
const waiting = timed(async () => {
  statuses = (await changes).map(({ status }) => status).join(', ');
}).then((took) => (waitedMs = took));
const locked = await readFor(seconds);
holder.exec('ROLLBACK');
holder.close();
await waiting;

console.log(`another process held the lock for ${seconds} s`);
for (const [at, { name }] of reads.entries()) {
  console.log(
    `${name.padEnd(16)} locked ${percentiles(locked[at] ?? [])}; free ${percentiles(free[at] ?? [])}; ${ratios(locked[at] ?? [], free[at] ?? [])}`,
  );
}
console.log(`three changes waited ${(waitedMs / 1000).toFixed(1)} s and were answered ${statuses}`);

/** @returns milliseconds, by read */
async function readFor(forSeconds: number): Promise<number[][]> {
  const until = performance.now() + forSeconds * 1000;
  return await Promise.all(
    reads.map(async ({ path, everyMs }) => {
      const took: number[] = [];
      while (performance.now() < until) {
        took.push(await timed(async () => await (await fetch(`${service.url}${path}`)).arrayBuffer()));
        await delay(everyMs);
      }
      return took;
    }),
  );
}
