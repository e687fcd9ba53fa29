// What retention costs those who upload meanwhile: the longest pauses of the process, and how long uploads take, without and with it.
// node bench/service/retention.ts [VISITS] [URLS]
// URLS: how many visits have an address of their own among their requests, as cache-busting pages do; default all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { buildApi } from '../../packages/api/src/app.ts';
import { sampleResource, sampleVisit } from '../../packages/api/src/testing/samples.ts';
import { quantile } from '../../packages/core/src/math/index.ts';

const visits = Number(process.argv[2] ?? 20_000);
const own = Number(process.argv[3] ?? visits);
const dayMs = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
let now = Date.parse('2026-01-01T00:00:00Z');
const api = await buildApi({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), now: () => now });
const resourcesOf = (visit: number) =>
  Array.from({ length: 70 }, (_, seq) => sampleResource(seq, visit < own ? { url: `https://site.example/${visit}/${seq}.webp` } : {}));

async function upload(count: number, first: number, pauseMs: number): Promise<number[]> {
  const took: number[] = [];
  for (let visit = first; visit < first + count; visit += 1) {
    const lease = await api.queue.lease({ runner: 'bench' });
    if (lease === null) throw new Error('The queue is empty.');
    const began = performance.now();
    await api.queue.upload(lease.id, sampleVisit(lease, 0, { resources: resourcesOf(visit) }));
    took.push(performance.now() - began);
    await api.queue.complete(lease.id);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return took;
}

try {
  for (let made = 0; made < visits + 20_000; made += 10_000)
    await api.queue.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 10_000 });
  await upload(visits, 0, 0);
  now += 30 * dayMs;

  const watch = async (name: string, work: () => Promise<unknown>) => {
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    let working = true;
    const done = work().finally(() => {
      working = false;
    });
    const took: number[] = [];
    while (working) took.push(...(await upload(1, visits + 1_000_000 + took.length, 4)));
    loop.disable();
    const ms = (value: number) => value.toFixed(1).padStart(7);
    console.log(
      `${name.padEnd(20)} uploads ${String(took.length).padStart(5)}  p50 ${ms(quantile(took, 0.5))}  p99 ${ms(quantile(took, 0.99))}  longest ${ms(Math.max(...took))} ms;  event loop p99 ${ms(loop.percentile(99) / 1e6)}  longest ${ms(loop.max / 1e6)} ms`,
    );
    return done;
  };
  await watch('alone', () => delay(5_000));
  const began = performance.now();
  await watch('with retention', async () => {
    const removed = await api.retention.run({ resourcesDays: 7, evidenceDays: 7, logDays: 7 });
    console.log(`retention ${JSON.stringify(removed)} in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  });
} finally {
  await api.close();
  rmSync(folder, { recursive: true });
}
