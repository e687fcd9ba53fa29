// Tests that judge times need a running machine: one whose host takes its CPUs away for a while would be judged instead.
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';

/** Work of other processes here delays a thread that wakes up by a few milliseconds. */
const maxPauseMs = 25;
/** Share of CPU time that the host gives to other guests. */
const maxStolen = 0.02;
const tries = 4;

/**
 * A test that judges times: if it fails while the machine stands still, it runs again. If that happens in all of four tries, it is
 * skipped, with how long the machine stood; a failure on a machine that went on is a failure at once.
 */
export const judgesTimes = (judge: (t: TestContext) => Promise<void>) => async (t: TestContext) => {
  for (let left = tries - 1; ; left--) {
    const standstill = watchMachine();
    const failed = await judge(t).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const stood = standstill();
    if (failed === undefined) return;
    if (stood === undefined) throw failed.error;
    const message = failed.error instanceof Error ? failed.error.message : String(failed.error);
    if (left === 0) return t.skip(`times can’t be judged here: ${stood} in the last of ${tries} tries, which failed with: ${message}`);
    t.diagnostic(`once more, since ${stood}: ${message}`);
  }
};

/** @returns what ends the watch, to be called once, and says how the machine stood still; undefined: it did not */
function watchMachine(): () => string | undefined {
  const worst = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { workerData: worst } = require('node:worker_threads');
     for (;;) {
       const before = performance.now();
       Atomics.wait(worst, 1, 0, 5);
       worst[0] = Math.max(worst[0], performance.now() - before - 5);
     }`,
    { eval: true, workerData: worst },
  );
  worker.unref();
  const before = cpuTicks();
  return () => {
    void worker.terminate();
    const after = cpuTicks();
    const stolen = (after.stolen - before.stolen) / Math.max(1, after.all - before.all);
    const pauseMs = worst[0] as number;
    if (pauseMs > maxPauseMs) return `the machine stood still for ${pauseMs} ms`;
    return stolen > maxStolen ? `${Math.round(stolen * 100)} % of its CPU time went to others of its host` : undefined;
  };
}

/** proc_stat(5): user nice system idle iowait irq softirq steal. */
function cpuTicks(): { all: number; stolen: number } {
  const ticks = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string).split(/\s+/).slice(1, 9).map(Number);
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] as number };
}
