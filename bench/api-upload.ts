// How fast the api stores visits, and in how many bytes: visits of 70 resources, uploaded over HTTP by one runner.
// node bench/api-upload.ts [VISITS]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { buildApi } from '../packages/api/src/app.ts';
import { sampleMetrics, sampleResource, sampleVisit } from '../packages/api/src/testing/samples.ts';
import { type Lease, median, quantile, type RandomSource, type Resource, randomSource, shuffle } from '../packages/core/src/index.ts';

const visits = Number(process.argv[2] ?? 3000);
const resourcesEach = 70;
const protocols = ['h1', 'h2', 'h3'] as const;

/** Chrome's times have three decimals. */
const ms = (random: RandomSource, most: number) => Math.round(random() * most * 1000) / 1000;

/** What differs from visit to visit: every time, the connections, the bytes of headers, the order. */
function resourcesOf(random: RandomSource, protocol: string): Resource[] {
  return shuffle([...Array(resourcesEach).keys()], random).map((asset, seq) => {
    const startMs = ms(random, 2000);
    const first = random() < 0.1;
    return sampleResource(asset, {
      seq,
      protocol,
      remoteAddress: '192.0.2.1:443',
      connectionId: Math.floor(random() * 100_000),
      connectionReused: !first,
      startMs,
      queueingMs: ms(random, 5),
      dnsMs: first ? ms(random, 20) : null,
      connectMs: first ? ms(random, 80) : null,
      tlsMs: first ? ms(random, 60) : null,
      sendMs: ms(random, 1),
      waitMs: ms(random, 200),
      receiveMs: ms(random, 300),
      endMs: startMs + ms(random, 500),
      transferBytes: 20_000 + Math.floor(random() * 300),
    });
  });
}

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const database = join(folder, 'pronghorn.db');
const api = await buildApi({ database, evidenceDirectory: join(folder, 'evidence') });
try {
  const base = `${await api.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(base + path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return reply;
  };
  await send('POST', '/campaigns', {
    sites: [{ url: 'https://shop.example/' }],
    protocols,
    rounds: Math.ceil(visits / protocols.length),
    seed: 1,
  });

  const random = randomSource(1);
  const took: number[] = [];
  let harBytes = 0;
  for (;;) {
    const reply = await send('POST', '/leases', { runner: 'bench' });
    if (reply.status === 204) break;
    const lease = (await reply.json()) as Lease;
    for (const slot of lease.round.order) {
      const metrics = Object.fromEntries(
        Object.keys(sampleMetrics()).map((name) => [name, name.endsWith('Share') ? random() : ms(random, 3000)]),
      );
      const outcome = {
        verdict: 'valid' as const,
        metrics: sampleMetrics({
          ...metrics,
          requests: resourcesEach,
          transferBytes: 1_400_000,
          connections: 6,
          hosts: 1,
          failedRequests: 0,
        }),
      };
      const visit = sampleVisit(lease, slot, {
        outcome,
        wallMs: ms(random, 5000),
        resources: resourcesOf(random, protocols[slot] ?? 'h2'),
      });
      const start = performance.now();
      const stored = await send('PUT', `/leases/${lease.id}/visits/${visit.id}`, visit);
      await stored.arrayBuffer();
      took.push(performance.now() - start);
      if (took.length % 100 === 1) harBytes += gzipSync(await (await send('GET', `/visits/${visit.id}/har`)).bytes()).length;
    }
    await send('POST', `/leases/${lease.id}/complete`);
  }
  const start = performance.now();
  await (await send('GET', '/campaigns/1/results')).arrayBuffer();
  const resultsMs = performance.now() - start;
  await api.close();

  const bytes = statSync(database).size / took.length;
  const seconds = took.reduce((sum, each) => sum + each, 0) / 1000;
  const gzippedHar = harBytes / Math.ceil(took.length / 100);
  console.log(`${took.length} visits of ${resourcesEach} resources, one after the other over HTTP`);
  console.log(
    `upload   ${(took.length / seconds).toFixed(0)} visits/s; p50 ${median(took).toFixed(1)} ms, p99 ${quantile(took, 0.99).toFixed(1)} ms`,
  );
  console.log(`results  ${resultsMs.toFixed(0)} ms for ${took.length} visits`);
  console.log(
    `disk     ${bytes.toFixed(0)} bytes for each visit, ${(bytes / gzippedHar).toFixed(2)} of its gzipped HAR (${gzippedHar.toFixed(0)} bytes)`,
  );
} finally {
  await api.close();
  rmSync(folder, { recursive: true });
}
