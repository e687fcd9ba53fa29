// The gate before each visit: opens when nothing else is working on this machine.
import { cpus } from 'node:os';
import type { CpuGauge } from '@pronghorn/core/schemas';
import { startCpuGauge } from './cpu-gauge.ts';

/** Long enough for shares out of the kernel's clock ticks of 10 ms. */
const shortestMs = 100;
const windowMs = 250;
/** The longest wait for a busy machine to become calm; the visit's own gauge judges then. */
const longestMs = 10_000;

/** A larger machine counts as one of so many cores: a fifth of 16 cores would be three busy ones, which share caches and clock with Chrome. */
const mostCores = 5;

/**
 * Share of this machine's CPU time that other work may take: the campaign's share, on more than five cores that share of five. By default (0.2)
 * that is a fifth of a small machine and one core of a large one. 1 allows everything.
 */
export function allowedForeignShare(share: number, cores = availableCores()): number {
  return share >= 1 ? 1 : share * Math.min(1, mostCores / cores);
}

const availableCores = () => Math.max(1, cpus().length);

export class CalmGate {
  #read: () => CpuGauge = startCpuGauge();
  #since = performance.now();

  /** Begins to look: at the end of a visit, whose storing is the runner's own work. */
  close(): void {
    this.#read = startCpuGauge();
    this.#since = performance.now();
  }

  /**
   * Waits until other work takes at most so much of the machine's CPU time as `allowedForeignShare` says. Where that was so since the
   * gate was closed, it costs nothing.
   *
   * @returns whether the machine is calm; false when it did not become so in time (10 s) or the signal came
   */
  async pass(foreignShare: number, signal?: AbortSignal, atMostMs = longestMs): Promise<boolean> {
    const allowed = allowedForeignShare(foreignShare);
    const deadline = performance.now() + atMostMs;
    for (let looked = shortestMs; ; looked = windowMs) {
      await delay(this.#since + looked - performance.now());
      if (this.#read().foreignShare <= allowed) return true;
      if (performance.now() > deadline || signal?.aborted === true) return false;
      this.close();
    }
  }
}

async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
