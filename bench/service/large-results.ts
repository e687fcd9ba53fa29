// What the results of a campaign of 1,000 sites cost: the first read, which computes them, beside later ones, and what other requests wait.
// Takes 3 minutes. node bench service/large-results [SITES, default 1000]
import { setTimeout as delay } from 'node:timers/promises';
import { megabytes, ms, percentiles, ratio, ratios, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const sites = Number(process.argv[2] ?? 1000);
const reads = ['GET /campaigns/{id}/summary', 'GET /campaigns/{id}/results', 'GET /campaigns/{id}/across'] as const;

interface Read {
  bytes: number;
  firstMs: number;
  tookMs: number;
  /** Maximum memory of the service meanwhile. */
  memoryBytes: number;
  /** Milliseconds that /health took meanwhile. */
  health: number[];
}

await using service = await Service.start([{ campaigns: 1, sites, conditions: 12, rounds: 5 }]);
const [id = ''] = service.madeIds;
console.log(`${sites} sites, ${sites * 12 * 5 * 3} visits`);
const storedBefore = service.storedBytes();
let json = 0;
const atRest = await healthDuring(delay(2_000));
for (const route of reads) {
  const first = await read(route);
  const later = await read(route);
  if (route.endsWith('results')) json = later.bytes;
  console.log(`${route.split('/').at(-1)}: ${megabytes(later.bytes)}; first ${wordsOf(first)}`);
  console.log(`  later ${wordsOf(later)}: first ÷ later ${ratio(first.tookMs, later.tookMs)}`);
  console.log(`  /health meanwhile ${percentiles(first.health)}; at rest ${percentiles(atRest)}; ${ratios(first.health, atRest)}`);
}
const stored = service.storedBytes() - storedBefore;
console.log(`${megabytes(json)} of results are stored in ${megabytes(stored)}: ratio ${ratio(stored, json)}`);

async function read(route: (typeof reads)[number]): Promise<Read> {
  let [bytes, firstMs, memoryBytes] = [0, 0, 0];
  const watching = setInterval(() => {
    memoryBytes = Math.max(memoryBytes, service.memoryBytes());
  }, 50);
  const start = performance.now();
  const reading = timed(async () => {
    const reply = await service.client.stream(route, { id, headers: { 'accept-encoding': 'identity' } });
    for await (const chunk of reply.body ?? []) {
      if (bytes === 0) firstMs = performance.now() - start;
      bytes += chunk.length;
    }
  });
  const health = await healthDuring(reading);
  clearInterval(watching);
  return { bytes, firstMs, tookMs: await reading, memoryBytes: Math.max(memoryBytes, service.memoryBytes()), health };
}

async function healthDuring(work: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  const took: number[] = [];
  while (!isOver) {
    took.push(await timed(() => service.client.text('GET /health', {})));
    await delay(10);
  }
  await ended;
  return took;
}

function wordsOf({ tookMs, firstMs, memoryBytes }: Read): string {
  return `${ms(tookMs)}, first byte after ${ms(firstMs)}, memory at most ${megabytes(memoryBytes)}`;
}
