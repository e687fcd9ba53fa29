// The environment of visits, named by its content: the same environment has the same id on every machine.
import { createHash } from 'node:crypto';
import { arch, cpus, hostname, release, totalmem } from 'node:os';
import type { Environment, RunnerRegistration, Visitor } from '@pronghorn/core/schemas';
import { benchmarkIndexOf } from '@pronghorn/core/visitor';
import { version } from '@pronghorn/core/vocabulary';

/**
 * @param link that the browser's packets crossed
 * @param origin server and settings of the demo origin, where it serves the site
 * @param isolation how the visit was kept from others
 * @param cpuSlowdown of the visitor's device; undefined: none requested
 */
export function describeEnvironment(
  browser: Environment['browser'],
  link: Environment['link'],
  origin: Record<string, unknown> | undefined,
  isolation: Environment['isolation'],
  cpuSlowdown?: CpuSlowdown,
): Environment {
  const content: Omit<Environment, 'id'> = {
    runner: { version, node: process.version },
    machine: ownMachine(),
    browser: {
      product: browser.product,
      executable: browser.executable,
      flags: browser.flags,
      sandbox: browser.sandbox,
      preferences: structuredClone(browser.preferences),
      ...(browser.driver && { driver: browser.driver }),
      ...(browser.speedIndexFrom && { speedIndexFrom: browser.speedIndexFrom }),
    },
    link,
    ...(isolation && { isolation }),
    ...(cpuSlowdown === undefined || (cpuSlowdown.factor === 1 && cpuSlowdown.machineIndex === null) ? {} : { cpuSlowdown }),
    origin: origin ?? null,
  };
  return { id: createHash('sha256').update(JSON.stringify(content)).digest('hex'), ...content };
}

export function ownMachine(): Environment['machine'] {
  const processors = cpus();
  return {
    kernel: release(),
    arch: arch(),
    cpu: processors[0]?.model.trim() || 'unknown',
    cores: Math.max(1, processors.length),
    memoryBytes: totalmem(),
  };
}

export function machineFacts(): RunnerRegistration['machine'] {
  return { hostname: hostname(), ...ownMachine(), node: process.version };
}

// How fast this machine's CPU runs scripts, and so how many times slower it must be made to be like a phone's.
export type CpuSlowdown = NonNullable<Environment['cpuSlowdown']>;

let known: number | undefined;

/**
 * The index that Lighthouse and Chrome's developer tools calibrate with: a tenth of how many strings of 10,000 characters a script makes in a second
 * (that of their two tests which makes work for the memory too). Measured once for a process, the fastest of five tries of a quarter of a
 * second, by the CPU time of this thread: other work takes turns with it, and would make the machine look slower than it is.
 */
function benchmarkIndex(): number {
  known ??= Math.max(...Array.from({ length: 5 }, () => stringsPerSecond(250))) / 10;
  return known;
}

function stringsPerSecond(ms: number): number {
  const before = process.threadCpuUsage();
  const until = performance.now() + ms;
  let made = 0;
  let length = 0;
  while (performance.now() < until) {
    let text = '';
    for (let i = 0; i < 10_000; i++) text += 'a';
    length += text.length;
    made += 1;
  }
  if (length !== made * 10_000) throw new Error('The benchmark made strings of the wrong length.');
  const { user, system } = process.threadCpuUsage(before);
  return made / ((user + system) / 1e6);
}

/**
 * The factor in halves, from 1 to 20, and the index in hundreds, so that the noise of the benchmark does not make each campaign one of another kind.
 *
 * @param indexOf asked only where the factor follows from it
 */
export function slowdownOf({ device = 'desktop', cpuSlowdown }: Visitor, indexOf = benchmarkIndex): CpuSlowdown {
  if (cpuSlowdown !== undefined || device === 'desktop') return { factor: cpuSlowdown ?? 1, machineIndex: null };
  const index = indexOf();
  const factor = Math.min(20, Math.max(1, Math.round((index / benchmarkIndexOf[device]) * 2) / 2));
  return { factor, machineIndex: Math.round(index / 100) * 100 };
}
