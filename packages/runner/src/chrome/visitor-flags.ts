// What of a visitor is decided when Chrome starts: flags hold for all of its requests, also those of workers and the first ones.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { Visitor } from '@pronghorn/core/schemas';
import { userAgentOf } from '@pronghorn/core/visitor';
import { version } from '@pronghorn/core/vocabulary';
import type { LoadVisitor } from '../visitor/load-visitor.ts';
import { type ChromeBuild, findChrome } from './find.ts';

/** After Chrome's other flags: of two alike, the later one counts. */
export function visitorFlags(visitor: Visitor | undefined, browser: ChromeBuild): string[] {
  const { language, proxy } = visitor ?? {};
  return [
    `--user-agent=${userAgentOf(visitor ?? {}, chromeMajor(browser), version)}`,
    ...(language === undefined ? [] : [`--lang=${language}`, `--accept-lang=${acceptedLanguages(language)}`]),
    // Chrome takes no proxy for loopback addresses unless it is told to.
    ...(proxy === undefined ? [] : [`--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>']),
  ];
}

/** Of what a Chrome and its ready tabs are made for; not what each visit is given: cookies, pages before it, and what steps left. A digest: some of it is secret. */
export const visitorKey = (given: LoadVisitor | undefined): string => {
  const { steps: _, cookies: __, after: ___, ...started } = given?.visitor ?? {};
  return createHash('sha256')
    .update(JSON.stringify([started, given?.ownHosts]))
    .digest('hex');
};

/** As Chrome's settings put a regional language: itself, then without its region. */
export const acceptedLanguages = (language: string): string => [...new Set([language, language.split('-')[0] as string])].join(',');

const versions = new Map<string, string>();

/** Such as 156.0.8078.79, from the program itself: it is needed before it runs. */
function chromeVersion(browser: ChromeBuild): string {
  const executable = findChrome(browser);
  const known = versions.get(executable);
  if (known !== undefined) return known;
  const found = /\d+(\.\d+){3}/.exec(versionSaid(executable))?.[0];
  if (found === undefined) throw new Error(`Chrome (${executable}) did not start: --version names no version such as 156.0.8078.79.`);
  versions.set(executable, found);
  return found;
}

function versionSaid(executable: string): string {
  try {
    // The headless shell may want a profile for this already; it gets none that stays.
    return execFileSync(executable, ['--version'], { encoding: 'utf8', timeout: 30_000, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    throw new Error(`Chrome (${executable}) did not start: ${error instanceof Error ? error.message : error}`);
  }
}

const chromeMajor = (browser: ChromeBuild): number => Number.parseInt(chromeVersion(browser), 10);
