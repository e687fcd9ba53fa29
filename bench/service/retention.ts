// How long uploads take while resources of old visits are removed, beside uploads while nothing is removed.
// Takes 3 minutes. node bench service/retention [VISITS, default 20000] [VISITS with URLs of their own, default all]
import { setTimeout as delay } from 'node:timers/promises';
import { sampleResource, sampleVisit } from '../../packages/api/src/testing/samples.ts';
import { percentiles, ratios, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const visits = Number(process.argv[2] ?? 20_000);
/** Pages that bust caches have new URLs at each visit; retention removes the texts of these too. */
const ownUrls = Number(process.argv[3] ?? visits);
const dayMs = 86_400_000;
const pauseMs = 4;

await using service = await Service.start();
let uploaded = 0;
for (let made = 0; made < visits + 20_000; made += 10_000) {
  await service.client.ask('POST /campaigns', { body: { sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 10_000 } });
}
while (uploaded < visits) await upload();
await service.order({ aheadMs: 30 * dayMs });

const alone = await uploadsDuring(delay(5_000));
let removed: unknown;
const removing = service.order({ retention: { resourcesDays: 7, evidenceDays: 7, logDays: 7 } }).then((answer) => (removed = answer));
const began = performance.now();
const beside = await uploadsDuring(removing);
console.log(`retention removed ${JSON.stringify(removed)} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
console.log(`uploads alone           ${percentiles(alone)}`);
console.log(`uploads with retention  ${percentiles(beside)}; ${ratios(beside, alone)}`);

/** @returns milliseconds that storing the visit took */
async function upload(): Promise<number> {
  const at = uploaded++;
  const hasOwnUrls = at < ownUrls || at >= visits;
  const resources = Array.from({ length: 70 }, (_, seq) =>
    sampleResource(seq, hasOwnUrls ? { url: `https://site.example/${at}/${seq}.webp` } : {}),
  );
  const lease = await service.lease();
  const visit = sampleVisit(lease, 0, { resources });
  const took = await timed(() => service.upload(lease, visit));
  await service.complete(lease);
  return took;
}

async function uploadsDuring(work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const took: number[] = [];
  while (!isOver) {
    took.push(await upload());
    await delay(pauseMs);
  }
  await ended;
  return took;
}
