// The gate before each visit: opens when nothing else is working on this machine.
import type { CpuGauge } from '@pronghorn/core';
import { startCpuGauge } from './cpu-gauge.ts';

/** Long enough for shares out of the kernel's clock ticks of 10 ms. */
const shortestMs = 100;
const windowMs = 250;
/** The longest wait for a busy machine to become calm; the visit's own gauge judges then. */
const longestMs = 10_000;

export class CalmGate {
  #read: () => CpuGauge = startCpuGauge();
  #since = performance.now();

  /** Begins to look: at the end of a visit, whose storing is the runner's own work. */
  close(): void {
    this.#read = startCpuGauge();
    this.#since = performance.now();
  }

  /**
   * Waits until other processes take at most `foreignShare` of the machine's CPU time. Where that was so since the gate was
   * closed, it costs nothing.
   *
   * @returns whether the machine is calm; false when it did not become so in time (10 s) or the signal came
   */
  async pass(foreignShare: number, signal?: AbortSignal, atMostMs = longestMs): Promise<boolean> {
    const deadline = performance.now() + atMostMs;
    for (let looked = shortestMs; ; looked = windowMs) {
      await delay(this.#since + looked - performance.now());
      if (this.#read().foreignShare <= foreignShare) return true;
      if (performance.now() > deadline || signal?.aborted === true) return false;
      this.close();
    }
  }
}

async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
