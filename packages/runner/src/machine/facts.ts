// A runner's machine, and what it can do there.
import { cpus, hostname } from 'node:os';
import type { Capabilities, RunnerRegistration } from '@pronghorn/core/schemas';
import { browsersOf } from '@pronghorn/core/vocabulary';
import { type LinkChoice, surveyBackends } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { ownMachine } from './environment.ts';
import { findBrowsertime, findChrome, findFirefox, findTransaction } from './find.ts';

export function machineFacts(): RunnerRegistration['machine'] {
  return { hostname: hostname(), ...ownMachine(), node: process.version };
}

/**
 * @param choice which links the operator allows
 * @param fencing of the link direct
 * @throws Error when there is no browser, or no link at all: such a runner would wait for ever
 */
export async function surveyCapabilities(choice: LinkChoice, fencing: Fencing): Promise<Capabilities> {
  const surveyed = await surveyBackends(fencing);
  const allowed = surveyed.filter(({ name }) => choice === 'auto' || name === choice);
  const backends = allowed.filter(({ can }) => can === true).map(({ name }) => name);
  if (backends.length === 0) {
    const reasons = allowed.map(({ name, can }) => `${name}: ${can}`).join('. ');
    throw new Error(`The link ${choice} is not to be had on this machine. ${reasons}.`);
  }
  // It can't be fenced: see its engine.
  const drivesFirefox = fencing === 'unfenced' || backends.some((name) => name !== 'direct');
  const found = browsersOf.puppeteer.filter((browser) => isThere(() => findChrome(browser)));
  if (found.length === 0) findChrome('chrome'); // throws, and says what to install
  const [hasBrowsertime, hasFirefox, sendsCalls] = [
    isThere(() => findBrowsertime(true)),
    isThere(findFirefox) && drivesFirefox,
    isThere(findTransaction),
  ];
  return {
    // With all that a video takes: a runner that could only load pages would give campaigns no SpeedIndex.
    engines: [
      'puppeteer',
      ...(hasBrowsertime ? (['browsertime'] as const) : []),
      ...(hasFirefox ? (['firefox'] as const) : []),
      ...(sendsCalls ? (['transaction'] as const) : []),
    ],
    browsers: [...found, ...(hasFirefox ? (['firefox'] as const) : []), ...(sendsCalls ? (['none'] as const) : [])],
    backends,
    ...(backends.includes('direct') ? { isFenced: fencing === 'fenced' } : {}),
  };
}

function isThere(find: () => unknown): boolean {
  try {
    find();
    return true;
  } catch {
    return false;
  }
}

/** Reads the share of the machine's CPU time that was in use since the last reading; null before the second. */
export function cpuShareMeter(): () => number | null {
  let before = read();
  return () => {
    const now = read();
    const total = now.total - before.total;
    const share = total <= 0 ? null : Math.min(1, Math.max(0, (now.busy - before.busy) / total));
    before = now;
    return share;
  };
}

function read(): { total: number; busy: number } {
  let total = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    total += times.user + times.nice + times.sys + times.irq + times.idle;
    idle += times.idle;
  }
  return { total, busy: total - idle };
}
