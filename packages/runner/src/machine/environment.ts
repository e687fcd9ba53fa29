// What visits run in, named by its content: the same environment has the same id on every machine.
import { createHash } from 'node:crypto';
import { arch, cpus, release, totalmem } from 'node:os';
import { type Environment, version } from '@pronghorn/core';
import { preferences } from '../chrome/flags.ts';
import type { Chrome } from '../chrome/launch.ts';

/**
 * @param link that the browser's packets crossed
 * @param origin server and settings of the demo origin, where it serves the site
 */
export function describeEnvironment(chrome: Chrome, link: Environment['link'], origin: Record<string, unknown> | undefined): Environment {
  const processors = cpus();
  const content: Omit<Environment, 'id'> = {
    runner: { version, node: process.version },
    machine: {
      kernel: release(),
      arch: arch(),
      cpu: processors[0]?.model.trim() ?? 'unknown',
      cores: processors.length,
      memoryBytes: totalmem(),
    },
    browser: {
      product: chrome.product,
      executable: chrome.executable,
      flags: chrome.flags,
      sandbox: chrome.sandbox,
      preferences: structuredClone(preferences),
    },
    link,
    origin: origin ?? null,
  };
  return { id: createHash('sha256').update(JSON.stringify(content)).digest('hex'), ...content };
}
