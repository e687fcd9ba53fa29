// How long it takes to lend a round, with a thousand campaigns and a million rounds in the queue; and what a place in it costs.
// node bench/service/lease.ts [CAMPAIGNS] [ROUNDS OF EACH]
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildApi } from '../../packages/api/src/app.ts';
import { sampleRegistration } from '../../packages/api/src/testing/samples.ts';
import { median, quantile } from '../../packages/core/src/math/index.ts';

const [campaigns = 1000, roundsEach = 1000] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const app = await buildApi({
  database: join(folder, 'pronghorn.db'),
  evidenceDirectory: join(folder, 'evidence'),
  queue: { maxOpenRounds: 1e9 },
});

async function timed(what: string, times: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let index = 0; index < times; index++) {
    const start = performance.now();
    await work(index);
    took.push(performance.now() - start);
  }
  console.log(`${what.padEnd(44)} p50 ${median(took).toFixed(2)} ms, p99 ${quantile(took, 0.99).toFixed(2)} ms`);
}

try {
  const { queue } = app;
  const priorities = ['interactive', 'ci', 'schedule'] as const;
  const submit = (index: number) =>
    queue.submit({
      sites: [{ url: `https://site-${index}.example/` }],
      conditions: index % 2 ? ['native'] : ['native', '4g'],
      rounds: index % 2 ? roundsEach : Math.ceil(roundsEach / 2),
      priority: priorities[index % 3] ?? 'ci',
      ...(index % 5 === 0 ? { location: 'fra' } : {}),
    });
  console.log(`${campaigns} campaigns, ${(campaigns * roundsEach).toLocaleString('en')} rounds`);
  await timed('submit', campaigns, submit);
  const runners = Array.from({ length: 64 }, (_, index) => sampleRegistration(`runner-${index}`, { location: index % 3 ? null : 'fra' }));
  for (const runner of runners)
    await app.runnerRegistry.register(runner, { role: 'admin', name: null, tokenId: null, scope: null, until: null });
  const held: string[] = [];
  await timed('lease by 64 registered runners', 3000, async (index) => {
    const runner = runners[index % runners.length];
    if (runner === undefined) return;
    const lease = await queue.lease({ runner: runner.name, instance: runner.instance });
    if (lease) held.push(lease.id);
  });
  await timed('lease by whoever asks', 1000, () => queue.lease({ runner: randomUUID() }));
  await timed('heartbeat', 1000, async () => queue.heartbeat(held.at(-1) ?? ''));
  await timed('place of a campaign', 200, async (index) => queue.place(String(1 + index)));
  await timed('depths', 200, async () => queue.depths());
} finally {
  await app.close();
  rmSync(folder, { recursive: true });
}
