// What a service does while another process holds the database's lock, as a prompt of sqlite3 or an import may: how long health and reads take
// beside it, and whether changes that were asked for meanwhile are made.
// node bench/service/lock.ts [SECONDS]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../packages/api/src/storage/database.ts';
import { quantile } from '../../packages/core/src/math/index.ts';

const seconds = Number(process.argv[2] ?? 12);
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = join(folder, 'pronghorn.db');
const api = spawn(process.execPath, [join(import.meta.dirname, 'api.ts'), database, join(folder, 'evidence')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});

/** Milliseconds of each, by what was asked. */
const took = new Map<string, number[]>();
async function timed(what: string, path: string, init?: RequestInit): Promise<Response> {
  const start = performance.now();
  const reply = await fetch(`${url}${path}`, init);
  await reply.clone().arrayBuffer();
  took.set(what, [...(took.get(what) ?? []), performance.now() - start]);
  return reply;
}
const json = (body: object): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

const [url] = (await once(createInterface(api.stdout), 'line')) as [string];
try {
  const campaign = { sites: [{ url: 'https://shop.example/' }], rounds: 5 };
  const { id } = (await (await timed('before', '/api/v1/campaigns', json(campaign))).json()) as { id: string };
  const holder = openDatabase(database);
  holder.exec('BEGIN IMMEDIATE');
  const until = performance.now() + seconds * 1_000;
  const repeat = async (what: string, path: string, everyMs: number) => {
    while (performance.now() < until) {
      await timed(what, path);
      await delay(everyMs);
    }
  };
  const changes = Promise.all([
    timed('change', '/api/v1/campaigns', json(campaign)),
    timed('change', `/api/v1/campaigns/${id}/cancel`, { method: 'POST' }),
    timed('change', '/api/v1/leases', json({ runner: 'r' })),
  ]);
  await Promise.all([repeat('GET /healthz', '/healthz', 5), repeat('GET /campaigns', '/api/v1/campaigns', 20)]);
  holder.exec('ROLLBACK');
  holder.close();
  const statuses = (await changes).map(({ status }) => status);
  console.log(`another process held the lock for ${seconds} s`);
  for (const [what, ms] of took) {
    if (what === 'before') continue;
    const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(1));
    console.log(`${what.padEnd(16)} ${String(ms.length).padStart(5)} asked: p50 ${p50} ms, p99 ${p99}, most ${most}`);
  }
  console.log(`changes asked for meanwhile were answered ${statuses.join(', ')}`);
} finally {
  const exited = once(api, 'exit');
  api.kill('SIGTERM');
  await exited;
  rmSync(folder, { recursive: true });
}
