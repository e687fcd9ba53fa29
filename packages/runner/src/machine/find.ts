// Finds the programs of visits: named by the user, installed by the launcher, or the machine's own.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from '@pronghorn/core/vocabulary';

/** The folder into which the launcher brings programs: PRONGHORN_TOOLS, else .tools of this checkout. */
export function tools(): string {
  return process.env.PRONGHORN_TOOLS ?? fileURLToPath(new URL('../../../../.tools', import.meta.url));
}

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
  const path = namedBy(variable) ?? firstUsable(browser === 'chrome' ? chromes() : headlessShells());
  if (path !== undefined) return path;
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

/** @throws Error where the variable names a file that can't be executed. @returns undefined where it names none */
function namedBy(variable: string): string | undefined {
  const named = process.env[variable] || undefined;
  if (named !== undefined && !isExecutable(named)) throw new Error(`${variable} names ${named}, which is not an executable file.`);
  return named;
}

const firstUsable = (paths: readonly string[]) => paths.find((path) => isExecutable(path) && !realpathSync(path).includes('snap'));

function onPath(...names: string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The executable itself: distributions put a shell script before it. A snap can't use a profile outside its home: passed over.
 *
 * @throws Error that says what to install when there is none
 */
export function findFirefox(): string {
  const path = namedBy('PRONGHORN_FIREFOX') ?? firstUsable(firefoxes());
  if (path !== undefined) return path;
  throw new Error('No Firefox was found. Install the package firefox-esr (elsewhere: firefox), or name one in PRONGHORN_FIREFOX.');
}

const firefoxes = (): string[] => [
  '/usr/lib/firefox-esr/firefox-esr',
  '/usr/lib/firefox/firefox',
  '/usr/lib64/firefox/firefox',
  '/opt/firefox/firefox',
  ...onPath('firefox-esr', 'firefox'),
];

/** The program that sends REST calls and serves them. @throws Error that says how to bring it */
export function findTransaction(): string {
  const path = namedBy('PRONGHORN_TRANSACTION') ?? join(tools(), 'transaction', 'transaction');
  if (isExecutable(path)) return path;
  throw new Error(
    'The program that sends REST calls is not built. `./pronghorn doctor --engine transaction` builds it; see docs/transactions.md.',
  );
}

// Where browsertime and what it starts are on this machine. The launcher installs all of it on first use.
export interface BrowsertimePrograms {
  version: string;
  package: string;
  chrome: string;
  chromedriver: string;
  /** Programs for a video; undefined: none is wanted. */
  video: { xvfb: string; ffmpeg: string; python: string } | undefined;
}

/**
 * @param video whether SpeedIndex is wanted too
 * @throws Error that names all that is missing and says how to bring it
 */
export function findBrowsertime(video: boolean): BrowsertimePrograms {
  const folder = join(tools(), 'browsertime', 'node_modules', 'browsertime');
  const version = versionOf(folder);
  const chromedriver = executable('chromedriver', 'PRONGHORN_CHROMEDRIVER');
  const xvfb = executable('Xvfb');
  const ffmpeg = executable('ffmpeg');
  const python = pythonWithPictures();
  const missing = [
    ...(version === undefined ? ['browsertime itself'] : []),
    ...(chromedriver === undefined ? ['chromedriver (package chromium-driver, or named by PRONGHORN_CHROMEDRIVER)'] : []),
    ...(video && xvfb === undefined ? ['Xvfb (package xvfb)'] : []),
    ...(video && ffmpeg === undefined ? ['ffmpeg (package ffmpeg)'] : []),
    ...(video && python === undefined ? ['Python with numpy and Pillow (packages python3-numpy and python3-pil)'] : []),
  ];
  if (missing.length > 0 || version === undefined || chromedriver === undefined) {
    throw new Error(
      `The engine browsertime lacks ${missing.join(', ')}. \`./pronghorn doctor --engine browsertime\` installs what is missing; see docs/engines.md.`,
    );
  }
  const all = video && xvfb !== undefined && ffmpeg !== undefined && python !== undefined ? { xvfb, ffmpeg, python } : undefined;
  return { version, package: folder, chrome: findChrome('chrome'), chromedriver, video: all };
}

function versionOf(folder: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}

function executable(name: string, variable = ''): string | undefined {
  const named = process.env[variable];
  const candidates = named ? [named] : [...onPath(name), `/usr/bin/${name}`, `/usr/local/bin/${name}`].filter(isAbsolute);
  return candidates.find(isExecutable);
}

let python: string | undefined;

/** The system's, whose packages the launcher installs, before another that stands first in PATH. */
function pythonWithPictures(): string | undefined {
  const candidates = ['/usr/bin/python3', executable('python3')].filter((path) => path !== undefined);
  python ??= candidates.find((path) => spawnSync(path, ['-c', 'import numpy, PIL'], { stdio: 'ignore' }).status === 0);
  return python;
}
