// A runner and an api in one process, for tests that kill it: says each thing on standard output as soon as it is stored.
// node restless-runner.ts OPTIONS(JSON) [LINES]: after a round in which it said so many it waits until it is killed
import { sayAtOnce } from '@pronghorn/core/testing';
import { buildApi } from '../app.ts';
import { sampleResource, sampleVisit } from './samples.ts';

const app = await buildApi(JSON.parse(process.argv[2] ?? '{}'));
const { queue, store } = app;
const last = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
let lines = 0;
const say = (...words: string[]) => {
  lines++;
  sayAtOnce(words.join(' '));
};

await queue.reclaim({ runner: 'restless' });
for (let lease = await queue.lease({ runner: 'restless' }); lease; lease = await queue.lease({ runner: 'restless' })) {
  for (const slot of lease.round.order) {
    const visit = sampleVisit(lease, slot, { resources: Array.from({ length: 70 }, (_, seq) => sampleResource(seq)) });
    await store.queue.upload(lease.id, visit);
    say('visit', visit.id);
  }
  await queue.complete(lease.id);
  say('round', lease.round.id, String(lease.round.attempt));
  if (lines >= last) await new Promise(() => setInterval(() => {}, 60_000));
}
await app.close();
say('end');
