// Uploads by 64 runners at 200 visits a second, on a database with a million visits: beside reads of summaries, and without them.
// Takes 2 minutes. node bench service/upload [VISITS A SECOND] [SECONDS] [STORED VISITS] [RUNNERS], default 200 60 1000000 64
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { megabytes, percentiles, ratio, ratios, timed } from '../shared/figures.ts';
import { Service } from '../shared/service.ts';

const [rate = 200, seconds = 60, stored = 1_000_000, runners = 64] = process.argv.slice(2).map(Number);
const readEveryMs = 100;
const roundsEach = 6000;
/** Of the time: summaries are read in the second and the fourth. */
const quarterMs = (1000 * seconds) / 4;

const made = { campaigns: 40, sites: 5, conditions: 4 };
const rounds = Math.max(1, Math.round(stored / (made.campaigns * made.sites * made.conditions * 3)));
await using service = await Service.start([{ ...made, rounds }]);

// More rounds than can be done in the time.
let running = '';
for (let left = Math.ceil((rate * seconds * 1.5) / 3); left > 0; left -= roundsEach) {
  const { body } = await service.client.ask('POST /campaigns', {
    body: {
      sites: [{ url: 'https://shop.example/' }],
      protocols: ['h1', 'h2', 'h3'],
      rounds: Math.min(roundsEach, left),
      limits: { foreignCpuShare: 1 },
    },
  });
  running ||= body.id;
}
const firstReads: number[] = [];
for (const id of service.madeIds) firstReads.push(await read(id));

const load = spawn(
  process.execPath,
  [join(import.meta.dirname, '../shared/upload-load.ts'), service.url, `${runners}`, `${rate}`, `${seconds}`],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
let isOver = false;
const ended = once(load, 'close').then(() => {
  isOver = true;
});
const output = text(load.stdout);
const reads: Record<'done' | 'running', number[]> = { done: [], running: [] };
const memory: number[] = [];
const cpuBefore = service.cpuSeconds();
const start = performance.now();
for (let turn = 0; !isOver; turn++) {
  await Promise.race([ended, delay(Math.max(0, start + turn * readEveryMs - performance.now()))]);
  if (isOver) break;
  if (turn % 10 === 0) memory.push(service.memoryBytes());
  if (!hasReads(turn * readEveryMs)) continue;
  const isRunning = turn % 5 === 0;
  reads[isRunning ? 'running' : 'done'].push(await read(isRunning ? running : (service.madeIds[turn % service.madeIds.length] ?? '')));
}
const wall = (performance.now() - start) / 1000;
const cpu = service.cpuSeconds() - cpuBefore;
const { uploads, leases, cpuSeconds } = JSON.parse(await output) as {
  uploads: [atMs: number, tookMs: number][];
  leases: number[];
  cpuSeconds: number;
};

const tookOf = (some: typeof uploads) => some.map(([, tookMs]) => tookMs);
const [beside, without] = [true, false].map((wanted) => tookOf(uploads.filter(([at]) => hasReads(at) === wanted))) as [number[], number[]];
console.log(`${runners} runners, ${(uploads.length / seconds).toFixed(0)} visits/s for ${seconds} s`);
console.log(`upload without reads  ${percentiles(without)}`);
console.log(`upload beside reads   ${percentiles(beside)}; ${ratios(beside, without)}`);
const [early, late] = [tookOf(uploads.filter(([at]) => at < 2 * quarterMs)), tookOf(uploads.filter(([at]) => at >= 2 * quarterMs))];
console.log(`upload, second half beside first: ${ratios(late, early)}`);
console.log(`lease                 ${percentiles(leases)}`);
console.log(`summary, done         ${percentiles(reads.done)}; first reads ${percentiles(firstReads)}; ${ratios(firstReads, reads.done)}`);
console.log(`summary, running      ${percentiles(reads.running)}; ${ratios(reads.running, reads.done)}`);
const [firstMemory = 0, lastMemory = 0] = [memory[Math.floor(memory.length / 4)], memory.at(-1)];
console.log(`memory                at most ${megabytes(Math.max(...memory))}; end ÷ first quarter ${ratio(lastMemory, firstMemory)}`);
console.log(`CPU of one core       service ${((100 * cpu) / wall).toFixed(0)} %, load ${((100 * cpuSeconds) / wall).toFixed(0)} %`);

function hasReads(atMs: number): boolean {
  return Math.floor(atMs / quarterMs) % 2 === 1;
}

function read(id: string): Promise<number> {
  return timed(() => service.client.text('GET /campaigns/{id}/summary', { id }));
}
