// The capabilities of a runner on this machine.
import type { Capabilities } from '@pronghorn/core/schemas';
import { browsersOf } from '@pronghorn/core/vocabulary';
import { type LinkChoice, surveyBackends } from '../link/backends.ts';
import type { Fencing } from '../link/fence/fence.ts';
import { findBrowsertime, findChrome, findFirefox, findTransaction } from '../machine/find.ts';

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
    throw new Error(`The link ${choice}is not available on this machine. ${reasons}.`);
  }
  // It can't be fenced: see its engine.
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
