// Whether other work keeps this machine from measuring.

import { cpus, loadavg } from 'node:os';

/** Processes that run or wait, per core: with more, a visit hardly meets a calm moment. */
const calmLoad = 0.5;

/**
 * Such as: busy now (load 12.8 on 2 cores): visits will be invalid until it is idle. Undefined: it is calm.
 *
 * @param load average of the last minute
 */
export function busyWords(load = loadavg()[0] ?? 0, cores = cpus().length): string | undefined {
  if (load / cores <= calmLoad) return undefined;
  return `busy now (load ${load.toFixed(1)} on ${cores} ${cores === 1 ? 'core' : 'cores'}): visits will be invalid until it is idle`;
}
