// The environment of visits, named by its content: the same environment has the same id on every machine.
import { createHash } from 'node:crypto';
import { arch, cpus, release, totalmem } from 'node:os';
import type { Environment } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { Chrome } from '../chrome/launch.ts';
import type { CpuSlowdown } from './benchmark-index.ts';

/**
 * @param link that the browser's packets crossed
 * @param origin server and settings of the demo origin, where it serves the site
 * @param isolation how the visit was kept from others
 * @param cpuSlowdown of the visitor's device; undefined: none was asked for
 */
export function describeEnvironment(
  chrome: Pick<Chrome, 'product' | 'executable' | 'flags' | 'sandbox' | 'preferences'> &
    Pick<Environment['browser'], 'driver' | 'speedIndexFrom'>,
  link: Environment['link'],
  origin: Record<string, unknown> | undefined,
  isolation: Environment['isolation'],
  cpuSlowdown?: CpuSlowdown,
): Environment {
  const content: Omit<Environment, 'id'> = {
    runner: { version, node: process.version },
    machine: ownMachine(),
    browser: {
      product: chrome.product,
      executable: chrome.executable,
      flags: chrome.flags,
      sandbox: chrome.sandbox,
      preferences: structuredClone(chrome.preferences),
      ...(chrome.driver && { driver: chrome.driver }),
      ...(chrome.speedIndexFrom && { speedIndexFrom: chrome.speedIndexFrom }),
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
