import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { startCpuGauge } from './cpu-gauge.ts';

const burn = 'const end = Date.now() + 700; while (Date.now() < end);';
// The share that one busy core has of this machine.
const oneCore = (cores: number) => 1 / cores;

test('work below this process is its own', async () => {
  const { cpus } = await import('node:os');
  const read = startCpuGauge();
  await once(spawn(process.execPath, ['-e', burn]), 'exit');
  const { ownShare } = read();
  assert.ok(ownShare > 0.5 * oneCore(cpus().length), `own share ${ownShare}`);
});

test('work of a process that is not below this one is foreign', async () => {
  const { cpus } = await import('node:os');
  // A shell that ends at once leaves its child to init: no longer below this process.
  const read = startCpuGauge();
  await once(spawn('sh', ['-c', `setsid "${process.execPath}" -e '${burn}' > /dev/null 2>&1 &`], { stdio: 'ignore' }), 'exit');
  const until = performance.now() + 800;
  while (performance.now() < until) await new Promise((resolve) => setImmediate(() => setTimeout(resolve, 20)));
  const { foreignShare } = read();
  assert.ok(foreignShare > 0.4 * oneCore(cpus().length), `foreign share ${foreignShare}`);
});

test('shares are shares', () => {
  const { ownShare, foreignShare } = startCpuGauge()();
  for (const share of [ownShare, foreignShare, ownShare + foreignShare]) assert.ok(share >= 0 && share <= 1);
});
