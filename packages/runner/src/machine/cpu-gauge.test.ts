import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { allowedForeignShare, CalmGate, startCpuGauge } from './cpu-gauge.ts';

/** CPU time, since other work on the machine may hold it up. */
const burnMs = 400;
const burn = `const start = process.cpuUsage(); while (process.cpuUsage(start).user < ${burnMs * 1e3});`;
/** A worker's cpuUsage is its process's. */
const burnInWorker = `const start = process.threadCpuUsage(); while (process.threadCpuUsage(start).user < ${burnMs * 1e3});`;

/** @returns CPU time of a gauge while something was done, ms */
async function gauged(work: () => Promise<unknown>): Promise<{ own: number; foreign: number }> {
  const [read, start] = [startCpuGauge(), performance.now()];
  await work();
  const { ownShare, foreignShare } = read();
  const machineMs = cpus().length * (performance.now() - start);
  return { own: ownShare * machineMs, foreign: foreignShare * machineMs };
}

test('work below this process is its own', async () => {
  const { own } = await gauged(() => once(spawn(process.execPath, ['-e', burn]), 'exit'));
  assert.ok(own > 0.7 * burnMs, `own ${own} ms`);
});

test('work of a process that is not below this one is foreign', async () => {
  // A shell that ends at once leaves its child to init: no longer below this process, which its closed pipe tells the end of.
  const { own, foreign } = await gauged(async () => {
    const shell = spawn('sh', ['-c', `setsid "${process.execPath}" -e '${burn}' &`], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(shell, 'close');
  });
  assert.ok(foreign > 0.7 * burnMs, `foreign ${foreign} ms`);
  assert.ok(own < 0.5 * burnMs, `own ${own} ms`);
});

test('work of a worker in this process is foreign, that of its main thread is its own', async () => {
  const inWorker = await gauged(() => once(new Worker(burnInWorker, { eval: true }), 'exit'));
  assert.ok(inWorker.foreign > 0.7 * burnMs, `foreign ${inWorker.foreign} ms`);
  assert.ok(inWorker.own < 0.5 * burnMs, `own ${inWorker.own} ms`);
  const inMain = await gauged(async () => {
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < burnMs * 1e3);
  });
  assert.ok(inMain.own > 0.7 * burnMs, `own ${inMain.own} ms`);
});

test('shares are shares', () => {
  const { ownShare, foreignShare } = startCpuGauge()();
  for (const share of [ownShare, foreignShare, ownShare + foreignShare]) assert.ok(share >= 0 && share <= 1);
});

test('the gate stays shut while other work takes more than its share, opens when that has ended, and gives up in time', async () => {
  const gateOf = (shares: number[]) => {
    const next = () => (shares.length > 1 ? shares.shift() : shares[0]) ?? 0;
    return new CalmGate(() => () => ({ ownShare: 0, foreignShare: next() }));
  };
  const ends = [0.9, 0.16, 0.14, 0.9];
  assert.equal(await gateOf(ends).pass(0.15), true);
  assert.deepEqual(ends, [0.9], 'it was asked until the machine was calm');
  assert.equal(await gateOf([0.9]).pass(0.15, undefined, 300), false);
  assert.equal(await gateOf([0.9]).pass(0.9), true);
});

test('of a large machine other work may take the share of five cores, whichever share that is', () => {
  assert.equal(allowedForeignShare(0.2, 2), 0.2);
  assert.equal(allowedForeignShare(0.2, 5), 0.2);
  assert.equal(allowedForeignShare(0.2, 16) * 16, 1);
  assert.equal(allowedForeignShare(0.4, 16) * 16, 2);
  assert.equal(allowedForeignShare(1, 16), 1);
});

test('a stop opens the gate', async () => {
  const stop = new AbortController();
  stop.abort();
  await new CalmGate().pass(-1, stop.signal, Number.POSITIVE_INFINITY);
});
