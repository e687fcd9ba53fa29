// Which Chrome a visit uses: PRONGHORN_CHROME, one that the launcher brought, or the machine's own.
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from '@pronghorn/core/vocabulary';
import { tools } from './tools.ts';

export type ChromeBuild = Exclude<Browser, 'firefox' | 'none'>;

/**
 * The executable of a build of Chrome.
 *
 * Distributions wrap Chromium in a shell script that adds flags of its own; the program behind it is named instead, so
 * that the flags stored with a visit are the flags it had. A snap can't use a profile outside its home: passed over.
 *
 * @throws Error that says what to install when there is none
 */
export function findChrome(browser: ChromeBuild): string {
  const variable = browser === 'chrome' ? 'PRONGHORN_CHROME' : 'PRONGHORN_HEADLESS_SHELL';
  const named = process.env[variable];
  if (named !== undefined && named !== '') {
    if (!isExecutable(named)) throw new Error(`${variable} names ${named}, which is not an executable file.`);
    return named;
  }
  for (const candidate of browser === 'chrome' ? chromes() : headlessShells()) {
    if (isExecutable(candidate) && !realpathSync(candidate).includes('snap')) return candidate;
  }
  const wanted = browser === 'chrome' ? 'Chrome or Chromium' : 'chromium-headless-shell';
  throw new Error(`No ${wanted} was found. Run ./pronghorn doctor to see what is missing, or name one in ${variable}.`);
}

function chromes(): string[] {
  return [
    ...forTesting('chrome', 'chrome'),
    '/usr/lib/chromium/chromium',
    '/usr/lib64/chromium-browser/chromium-browser',
    '/opt/google/chrome/chrome',
    ...onPath('chromium', 'google-chrome-stable', 'google-chrome'),
  ];
}

function headlessShells(): string[] {
  return [
    ...forTesting('chrome-headless-shell', 'chrome-headless-shell'),
    '/usr/lib/chromium/chromium-headless-shell',
    ...onPath('chromium-headless-shell', 'chrome-headless-shell'),
  ];
}

/** Where `@puppeteer/browsers` puts Chrome for Testing: build/platform-version/build-platform/executable. */
function forTesting(build: string, executable: string): string[] {
  const folder = join(tools(), 'chrome', build);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))
    .flatMap((version) => readdirSync(join(folder, version)).map((platform) => join(folder, version, platform, executable)));
}

export function onPath(...names: string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
