// What the results of a large campaign cost: to compute and keep them beside the event loop, and to stream them; how long other requests
// wait meanwhile, and the peak of memory.
// node bench/service/large-results.ts [SITES]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { buildApi } from '../../packages/api/src/app.ts';
import { makeDatabase } from '../../packages/api/src/testing/made-database.ts';

const sites = Number(process.argv[2] ?? 1000);
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = join(folder, 'pronghorn.db');
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

/** A reader in a process of its own, so that what it reads is not in this one's memory. @returns bytes as they came, and ms until the first. */
function read(url: string, ...options: string[]): Promise<{ bytes: number; firstMs: number; ms: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; firstMs: number; ms: number }>();
  const format = '%{size_download} %{time_starttransfer} %{time_total} %{http_code}';
  const curl = spawn('curl', ['-s', '-o', '/dev/null', '-w', format, ...options, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  curl.stdout.on('data', (text) => (said += text));
  curl.on('error', reject);
  curl.on('close', () => {
    const [bytes = 0, first = 0, total = 0, status] = said.split(' ').map(Number);
    if (status === 200) resolve({ bytes, firstMs: first * 1000, ms: total * 1000 });
    else reject(new Error(`${url}: ${said}`));
  });
  return promise;
}

try {
  makeDatabase(database, [{ campaigns: 1, sites, conditions: 12, rounds: 5 }]);
  const api = await buildApi({ database, evidenceDirectory: join(folder, 'evidence') });
  try {
    const base = `${await api.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
    let peak = 0;
    const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
    const measured = async (name: string, work: () => ReturnType<typeof read>) => {
      peak = process.memoryUsage().rss;
      const [before, delays] = [peak, monitorEventLoopDelay({ resolution: 5 })];
      delays.enable();
      const { bytes, firstMs, ms } = await work();
      delays.disable();
      const waited = `event loop late by p99 ${(delays.percentile(99) / 1e6 - 5).toFixed(0)} ms, at most ${(delays.max / 1e6 - 5).toFixed(0)} ms`;
      const memory = `memory ${megabytes(before)}, peak ${megabytes(peak)}`;
      console.log(
        `${name}: ${(ms / 1000).toFixed(1)} s, first byte after ${(firstMs / 1000).toFixed(1)} s, ${megabytes(bytes)}; ${memory}; ${waited}`,
      );
    };
    console.log(`${sites} sites, ${sites * 12 * 5 * 3} visits`);
    await measured('summary, computed', () => read(`${base}/campaigns/1/summary`));
    await measured('summary, kept', () => read(`${base}/campaigns/1/summary`, '--compressed'));
    await measured('one group, after computing all', () => read(`${base}/campaigns/1/results?limit=1`));
    await measured('all results', () => read(`${base}/campaigns/1/results`));
    await measured('all results, gzip', () => read(`${base}/campaigns/1/results`, '-H', 'accept-encoding: gzip'));
    await measured('across', () => read(`${base}/campaigns/1/across`));
    clearInterval(watching);
    const bytes =
      api.database
        .prepare<[], number>('SELECT sum(length(document) + length(outline) + coalesce(length(comparisons), 0)) FROM results')
        .pluck()
        .get() ?? 0;
    console.log(`kept in ${megabytes(bytes)}`);
  } finally {
    await api.close();
  }
} finally {
  rmSync(folder, { recursive: true });
}
