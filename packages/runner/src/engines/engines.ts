// The engines of a runner as one, where each load is performed by the engine that it names, and which of them this machine has.

import type { Capabilities } from '@pronghorn/core/schemas';
import { browsersOf, type Engine as EngineName } from '@pronghorn/core/vocabulary';
import type { VantagePoint } from '../link/agent-link.ts';
import { type LinkChoice, surveyBackends } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { findBrowsertime, findChrome, findFirefox, findTransaction } from '../machine/find.ts';
import { browsertimeEngine } from './browsertime.ts';
import type { DemoOrigin, Engine } from './engine.ts';
import { firefoxEngine } from './firefox.ts';
import { puppeteerEngine } from './puppeteer.ts';
import { transactionEngine } from './transaction.ts';

/**
 * An engine is made when a load first names it, so that unused ones never start.
 *
 * @param lab the demo origin, when there is one; its trust goes only to browsers that load its pages
 * @param vantagePoint where the browsers run
 */
export function allEngines(lab: DemoOrigin | undefined, vantagePoint: VantagePoint, options: { ahead?: boolean } = {}): Engine {
  // It is what asks for HTTPS records and takes steps, whatever engine loads the page.
  const puppeteer = puppeteerEngine(lab, vantagePoint, options);
  const made = new Map<EngineName, Engine>([['puppeteer', puppeteer]]);
  const makers: Readonly<Partial<Record<EngineName, () => Engine>>> = {
    browsertime: () => browsertimeEngine(lab, vantagePoint),
    firefox: () => firefoxEngine(lab, vantagePoint),
  };
  const engineOf = (name: EngineName): Engine => {
    const there = made.get(name) ?? makers[name]?.();
    if (there === undefined) throw new Error(`This runner has no engine ${name}.`);
    made.set(name, there);
    return there;
  };
  const transactions = transactionEngine(lab, vantagePoint);
  return {
    ...puppeteer,
    transactions: {
      ...transactions,
      run: async (request) => {
        for (const other of made.values()) await other.atRest?.();
        return await transactions.run(request);
      },
    },
    load: async (load) => {
      const engine = engineOf(load.engine ?? 'puppeteer');
      for (const other of made.values()) if (other !== engine) await other.atRest?.();
      return await engine.load(load);
    },
    close: async () => void (await Promise.all([...made.values(), transactions].map((engine) => engine.close()))),
  };
}

/**
 * The capabilities of a runner on this machine.
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
    throw new Error(`The link ${choice} is not available on this machine. ${reasons}.`);
  }
  // Firefox can't be fenced: see firefox.ts.
  const drivesFirefox = fencing === 'unfenced' || backends.some((name) => name !== 'direct');
  const browsers = browsersOf.puppeteer.filter((browser) => isThere(() => findChrome(browser)));
  if (browsers.length === 0) findChrome('chrome'); // throws, and says what to install
  const [hasBrowsertime, hasFirefox, sendsCalls] = [
    isThere(() => findBrowsertime(true)),
    isThere(findFirefox) && drivesFirefox,
    isThere(findTransaction),
  ];
  return {
    // Includes all that a video needs: a runner that could only load pages would give campaigns no SpeedIndex.
    engines: [
      'puppeteer',
      ...(hasBrowsertime ? (['browsertime'] as const) : []),
      ...(hasFirefox ? (['firefox'] as const) : []),
      ...(sendsCalls ? (['transaction'] as const) : []),
    ],
    browsers: [...browsers, ...(hasFirefox ? (['firefox'] as const) : []), ...(sendsCalls ? (['none'] as const) : [])],
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
