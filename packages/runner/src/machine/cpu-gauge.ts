// Measures the CPU time of a visit and of everything else on the machine: a busy machine is not a slow site.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { CpuGauge } from '@pronghorn/core/schemas';
import { processTree, statOf } from './processes.ts';

interface Reading {
  /** CPU time in clock ticks, summed over all cores. */
  total: number;
  busy: number;
  /** Time of the visit: all processes below this one (Chrome, the demo origin, the link's) and the threads of this one that drive it. */
  own: number;
}

/**
 * Starts a gauge; the function it returns reads it. Costs a walk over /proc at both ends (about 1 ms each).
 *
 * The api, where it is in this process (`measure`, `serve --runner`), computes results in threads of its own, and the dashboard is built in
 * others: those are foreign, as if another process did it. The api's work in the main thread counts as the runner's.
 */
export function startCpuGauge(): () => CpuGauge {
  const start = read();
  return () => {
    const end = read();
    const total = end.total - start.total;
    if (total <= 0) return { ownShare: 0, foreignShare: 0 };
    const busy = Math.min(total, Math.max(0, end.busy - start.busy));
    const own = Math.min(busy, Math.max(0, end.own - start.own));
    return { ownShare: own / total, foreignShare: (busy - own) / total };
  };
}

function read(): Reading {
  // proc_stat(5): user nice system idle iowait irq softirq steal. Guest time is already in user.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  // Interrupts are mostly the visit's own packets; counted as busy, they would be blamed on others.
  const busy = user + nice + system + steal;
  return { total: busy + idle + iowait + irq + softirq, busy, own: ownTicks() };
}

/** Node's own threads by name: where events are handled, memory is cleaned and files are read. All others are workers of the api or the dashboard. */
const driving: readonly string[] = ['V8Worker', 'libuv-worker', 'DelayedTaskSche', 'SignalInspector'];

function drivingTicks(): number {
  let ticks = 0;
  for (const thread of readdirSync('/proc/self/task')) {
    const stat = statOf(`/proc/self/task/${thread}`);
    if (stat === undefined || (Number(thread) !== process.pid && !driving.includes(stat.name))) continue;
    ticks += Number(stat.fields[11]) + Number(stat.fields[12]);
  }
  return ticks;
}

function ownTicks(): number {
  let ticks = 0;
  for (const { pid, ownTicks, endedTicks } of processTree(process.pid))
    ticks += endedTicks + (pid === process.pid ? drivingTicks() : ownTicks);
  return ticks;
}

// The gate before each visit: opens when nothing else is working on this machine.

/** Long enough for shares out of the kernel's clock ticks of 10 ms. */
const minMs = 100;
const windowMs = 250;
/** The longest wait for a busy machine to become calm; the visit's own gauge judges then. */
const maxWaitMs = 10_000;

/** A larger machine counts as one with this many cores: a fifth of 16 cores would be three busy ones, which share caches and clock with Chrome. */
const maxCores = 5;

/**
 * Share of this machine's CPU time that other work may take: the campaign's share, on more than five cores that share of five. By default (0.2)
 * that is a fifth of a small machine and one core of a large one. 1 allows everything.
 */
export function allowedForeignShare(share: number, cores = availableCores()): number {
  return share >= 1 ? 1 : share * Math.min(1, maxCores / cores);
}

const availableCores = () => Math.max(1, cpus().length);

export class CalmGate {
  readonly #start: typeof startCpuGauge;
  #read: () => CpuGauge;
  #since = performance.now();

  /** @param start the gauge that it goes by */
  constructor(start = startCpuGauge) {
    this.#start = start;
    this.#read = start();
  }

  /** Starts the watch at the end of a visit; storing that is the runner's own work. */
  close(): void {
    this.#read = this.#start();
    this.#since = performance.now();
  }

  /**
   * Waits until other work takes at most `allowedForeignShare` of the machine's CPU time. Where that was so since the
   * gate was closed, it costs nothing.
   *
   * @returns whether the machine is calm; false when it did not become so in time (10 s) or the signal came
   */
  async pass(foreignShare: number, signal?: AbortSignal, atMostMs = maxWaitMs): Promise<boolean> {
    const allowed = allowedForeignShare(foreignShare);
    const deadline = performance.now() + atMostMs;
    for (let looked = minMs; ; looked = windowMs) {
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

// The whole machine, for a runner's heartbeat.

/** Reads the share of the machine's CPU time that was in use since the last reading; null before the second. */
export function cpuShareMeter(): () => number | null {
  let before = readAll();
  return () => {
    const now = readAll();
    const total = now.total - before.total;
    const share = total <= 0 ? null : Math.min(1, Math.max(0, (now.busy - before.busy) / total));
    before = now;
    return share;
  };
}

function readAll(): { total: number; busy: number } {
  let total = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.irq + times.idle;
    idle += times.idle;
  }
  return { total, busy: total - idle };
}
