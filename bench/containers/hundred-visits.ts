// What a hundred visits and more leave in one runner's container: memory, processes, namespaces, files.
// Usage: node bench/containers/hundred-visits.ts [rounds of two visits, default 50]
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { docker } from '../../docker/e2e/engine.ts';
import type { Campaign } from '../../packages/core/src/schemas/index.ts';
import type { Remains } from './remains.ts';
import { Stack, shop } from './stack.ts';

const rounds = Number(process.argv[2] ?? 50);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`${process.argv[2]} is no number of rounds.`);
/** Visits between two looks. */
const step = 10;

/** What the container holds, the engine's caches of files left out; its own temporary files count. Cgroups of version 2, then of 1. */
const readMemory = `cd /sys/fs/cgroup; if [ -f memory.current ]; then cat memory.current memory.stat; else cat memory/memory.usage_in_bytes memory/memory.stat; fi`;

await using stack = await Stack.up();
const container = await stack.container('runner');
const script = readFileSync(new URL('remains.ts', import.meta.url), 'utf8');
const row = async (when: string) => {
  // By a shell, which takes little itself, before Node looks at the rest.
  const { stdout } = await docker(['exec', container, 'sh', '-c', readMemory]);
  const figure = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  const cached = stdout.includes('\nfile ') ? figure('file') : figure('cache');
  const memoryMb = (Number.parseInt(stdout, 10) - (cached - figure('shmem'))) / 2 ** 20;
  const { nodeMb, processes, zombies, namespaces, files, rules }: Remains = JSON.parse(
    await stack.run(container, script, ['--privileged']),
  );
  console.log(
    `| ${when} | ${memoryMb.toFixed(0)} | ${nodeMb.toFixed(0)} | ${processes} | ${zombies} | ${namespaces} | ${files} | ${rules} |`,
  );
};

console.log(
  '| visits | container without file cache, MB | Node, MB | processes | zombies | network namespaces | entries in /tmp | devices and tables |',
);
console.log('| --- | --: | --: | --: | --: | --: | --: | --: |');
await row('before');
const wanted = { sites: [{ url: shop }], protocols: ['h2', 'h3'], rounds, limits: { foreignCpuShare: 1 } };
const { id } = await stack.outside.ask<Campaign>('POST', '/campaigns', { ...wanted, conditions: ['native'] });
let [seen, done] = [0, false];
let progress: Campaign['progress'] | undefined;
while (!done) {
  const campaign = await stack.outside.ask<Campaign>('GET', `/campaigns/${id}`);
  done = campaign.state === 'done';
  progress = campaign.progress;
  const visits = progress.visitsValid + progress.visitsInvalid;
  if (visits >= seen + step || done) {
    seen = visits;
    await row(`${visits}`);
  }
  if (!done) await delay(250);
}
console.log(`\n${progress?.visitsValid} visits were valid, ${progress?.visitsInvalid} were not.`);
