// Which Firefox a visit uses: PRONGHORN_FIREFOX, or the machine's own.
import { realpathSync } from 'node:fs';
import { isExecutable, onPath } from '../chrome/find.ts';

/**
 * The executable itself: distributions put a shell script before it. A snap can't use a profile outside its home: passed over.
 *
 * @throws Error that says what to install when there is none
 */
export function findFirefox(): string {
  const named = process.env.PRONGHORN_FIREFOX;
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new Error(`PRONGHORN_FIREFOX names ${named}, which is not an executable file.`);
    return named;
  }
  const found = places().find((path) => isExecutable(path) && !realpathSync(path).includes('snap'));
  if (found !== undefined) return found;
  throw new Error('No Firefox was found. Install the package firefox-esr (elsewhere: firefox), or name one in PRONGHORN_FIREFOX.');
}

const places = (): string[] => [
  '/usr/lib/firefox-esr/firefox-esr',
  '/usr/lib/firefox/firefox',
  '/usr/lib64/firefox/firefox',
  '/opt/firefox/firefox',
  ...onPath('firefox-esr', 'firefox'),
];
