// What it costs the service to export a campaign of 200,000 visits: time, its memory, how long others wait meanwhile, and that visits can be
// stored while a reader stands still. Resources of a tenth of the visits.
// node bench/service/export.ts [VISITS]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildApi } from '../../packages/api/src/app.ts';
import { quantile, randomSource } from '../../packages/core/src/math/index.ts';
import { metricNames } from '../../packages/core/src/vocabulary/index.ts';
import { resourcesOf } from './realistic-visits.ts';

const folder = process.env.PRONGHORN_BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const options = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
if (process.send) {
  const app = await buildApi(options);
  process.send(await app.listen({ host: '127.0.0.1', port: 0 }));
} else {
  try {
    await measure(Number(process.argv[2] ?? 200_000));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measure(visits: number): Promise<void> {
  await fill(visits);
  const service = fork(import.meta.filename, { env: { ...process.env, PRONGHORN_BENCH_FOLDER: folder } });
  const [url] = (await once(service, 'message')) as [string];
  const megabytes = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
  await fetch(`${url}/api/v1/campaigns/1/visits?limit=1000`).then((reply) => reply.text());
  console.log(`${visits} visits; the service has ${megabytes('VmRSS').toFixed(0)} MB before`);
  for (const path of ['visits.csv', 'visits.ndjson', 'visits.ndjson?resources=true', 'export.json']) {
    const waits: number[] = [];
    let isDone = false;
    const asking = (async () => {
      while (!isDone) {
        const asked = performance.now();
        await (await fetch(`${url}/api/v1/health`)).arrayBuffer();
        waits.push(performance.now() - asked);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const start = performance.now();
    let bytes = 0;
    const reply = await fetch(`${url}/api/v1/campaigns/1/${path}`, { headers: { 'accept-encoding': 'identity' } });
    for await (const chunk of reply.body ?? []) bytes += chunk.length;
    const seconds = (performance.now() - start) / 1000;
    isDone = true;
    await asking;
    console.log(
      `${path.padEnd(28)} ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s, peak of the service ${megabytes('VmHWM').toFixed(0)} MB; ` +
        `others wait p50 ${quantile(waits, 0.5).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`,
    );
  }
  service.kill();
  await once(service, 'exit');
}

async function fill(visits: number): Promise<void> {
  const app = await buildApi(options);
  const sites = Array.from({ length: 10 }, (_, place) => ({ url: `https://site-${place}.example/` }));
  await app.queue.submit({ sites, protocols: ['h2', 'h3'], rounds: Math.ceil(visits / 20), seed: 1 }, null);
  const { database } = app;
  const metrics = metricNames.map((name) =>
    /requests|Bytes|connections|hosts/i.test(name) ? 'abs(random() % 1000)' : 'abs(random() % 3000000) / 1000.0',
  );
  database.exec(`
    INSERT INTO leases (id, roundId, attempt, runner, leasedAt, expiresAt, state) SELECT 'lease-' || id, id, 1, 'bench', 0, 1, 'completed' FROM rounds;
    INSERT INTO visits (id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, finalUrl, contentHash, verdict, counted, ${metricNames})
      SELECT lower(hex(randomblob(16))), campaignId, rounds.id, 1, slot.value, iif(slot.value = 0, 'h2', 'h3'), slot.value, 0, '2026-03-01T12:00:00.250Z', 900.5,
        'https://site.example/', x'00', 'valid', 1, ${metrics} FROM rounds, json_each('[0, 1]') AS slot;
    UPDATE rounds SET state = 'done', attempt = 1;
    UPDATE campaigns SET state = 'done';`);
  const random = randomSource(1);
  database.transaction(() => {
    for (let seq = 1; seq <= visits; seq += 10) app.resources.insertAll(seq, resourcesOf(0, 'h3', random));
  })();
  await app.close();
}
