// Runners upload visits of 70 resources at a steady rate while a campaign's summary is read, on a database with a million visits: how long an
// upload takes, how long a read, and whether the api's memory stays flat. Api, load and reader are three processes.
// node bench/service/upload.ts [VISITS_A_SECOND] [SECONDS] [PRELOADED_VISITS] [RUNNERS]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { median, quantile } from '../../packages/core/src/math/index.ts';
import { preload } from './preload.ts';

const [rate = 200, seconds = 60, preloaded = 1_000_000, runners = 64] = process.argv.slice(2).map(Number);
/** Reads a second. */
const readEveryMs = 100;
const roundsEach = 6000;

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = join(folder, 'pronghorn.db');
const evidence = join(folder, 'evidence');
const script = (name: string) => join(import.meta.dirname, name);

/** Of a process, by proc_pid_status(5) and proc_pid_stat(5). */
const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
const words = (took: readonly number[]) =>
  took.length === 0
    ? 'none'
    : `${took.length}: p50 ${median(took).toFixed(1)} ms, p90 ${quantile(took, 0.9).toFixed(1)}, p99 ${quantile(took, 0.99).toFixed(1)}, most ${Math.max(...took).toFixed(0)}`;

const start = performance.now();
const campaigns = await preload(database, evidence, preloaded);
console.log(
  `${preloaded.toLocaleString('en')} visits preloaded in ${((performance.now() - start) / 1000).toFixed(0)} s, ${(statSync(database).size / 1e6).toFixed(0)} MB`,
);
const api = spawn(process.execPath, [script('api.ts'), database, evidence], { stdio: ['ignore', 'pipe', 'inherit'] });
const pid = api.pid ?? 0;
try {
  const [url] = (await once(createInterface(api.stdout), 'line')) as [string];
  const post = async (path: string, body: object) => {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { id: string };
  };
  // More than are performed in the time, in campaigns of a usual size: what is read is one campaign, however long this takes.
  const rounds = Math.ceil((rate * seconds * 1.5) / 3);
  const opened: string[] = [];
  for (let left = rounds; left > 0; left -= roundsEach) {
    const { id } = await post('/campaigns', {
      sites: [{ url: 'https://shop.example/' }],
      protocols: ['h1', 'h2', 'h3'],
      rounds: Math.min(roundsEach, left),
      limits: { foreignCpuShare: 1 },
    });
    opened.push(id);
  }
  const running = opened[0] ?? '';
  const read = async (id: string): Promise<number> => {
    const begun = performance.now();
    const reply = await fetch(`${url}/api/v1/campaigns/${id}/summary`);
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`summary of ${id}: ${reply.status}`);
    return performance.now() - begun;
  };
  const firstReads: number[] = [];
  for (const id of campaigns) firstReads.push(await read(id));

  const load = spawn(process.execPath, [script('load.ts'), url, String(runners), String(rate), String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  load.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = once(load, 'close');
  let over = false;
  void ended.then(() => {
    over = true;
  });
  const reads = { done: [] as number[], running: [] as number[] };
  const memory: number[] = [];
  const cpuBefore = cpuSecondsOf(pid);
  const clock = performance.now();
  for (let turn = 0; !over; turn++) {
    await Promise.race([ended, delay(Math.max(0, clock + turn * readEveryMs - performance.now()))]);
    if (over) break;
    const isRunning = turn % 5 === 0;
    (isRunning ? reads.running : reads.done).push(await read(isRunning ? running : (campaigns[turn % campaigns.length] ?? '1')));
    if (turn % 10 === 0) memory.push(memoryOf(pid));
  }
  const wall = (performance.now() - clock) / 1000;
  const cpu = cpuSecondsOf(pid) - cpuBefore;
  const { uploads, leases, cpuSeconds } = JSON.parse(said) as { uploads: [number, number][]; leases: number[]; cpuSeconds: number };
  const took = uploads.map(([, ms]) => ms);
  console.log(`${runners} runners, ${(uploads.length / seconds).toFixed(0)} visits/s for ${seconds} s`);
  console.log(`upload           ${words(took)}`);
  for (let from = 0; from < seconds; from += Math.max(5, seconds / 4)) {
    const until = from + Math.max(5, seconds / 4);
    const part = uploads.filter(([at]) => at >= from * 1000 && at < until * 1000).map(([, ms]) => ms);
    console.log(`  ${from.toFixed(0)} to ${until.toFixed(0)} s`.padEnd(17) + words(part));
  }
  console.log(`lease            ${words(leases)}`);
  console.log(`summary, first   ${words(firstReads)}`);
  console.log(`summary, done    ${words(reads.done)}`);
  console.log(`summary, running ${words(reads.running)}`);
  const sixth = Math.ceil(memory.length / 6);
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
  const means = Array.from({ length: 6 }, (_, part) => mean(memory.slice(part * sixth, (part + 1) * sixth)).toFixed(0));
  console.log(`api memory       ${means.join(', ')} MB in each sixth of the time, at most ${Math.max(...memory).toFixed(0)} MB`);
  console.log(
    `CPU              api ${((100 * cpu) / wall).toFixed(0)} %, load generator ${((100 * cpuSeconds) / wall).toFixed(0)} % of one core`,
  );
} finally {
  const gone = once(api, 'close');
  api.kill('SIGTERM');
  await gone;
  rmSync(folder, { recursive: true });
}
