// What visits by browsertime start and write, for the tests that look for what is left of them.
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBrowsertime } from '../src/machine/find.ts';

const home = join(tmpdir(), `pronghorn-${process.getuid?.()}`);
/** How the temporary folders of a process begin. */
export const ofProcess = (pid: number | undefined): string => join(home, `${pid}-`);

/** Files in the temporary folders of a process. */
export const filesOf = (pid: number): string[] =>
  readdirSync(home)
    .filter((name) => name.startsWith(`${pid}-`))
    .flatMap((name) => readdirSync(join(home, name)));

/** What the machine lacks for it; false: nothing. */
export function lacksBrowsertime(): string | false {
  try {
    findBrowsertime(true);
    return false;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Processes whose command line or environment names a folder that begins so: pid and program. */
export function using(folder: string): { pid: number; command: string }[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      const read = (what: string) => readFileSync(`/proc/${Number(entry)}/${what}`, 'utf8');
      const command = read('cmdline').replaceAll('\0', ' ');
      const isIt = command !== '' && (command.includes(folder) || read('environ').includes(folder));
      return isIt ? [{ pid: Number(entry), command }] : [];
    } catch {
      return [];
    }
  });
}

export const running = (folder: string): string[] => using(folder).map(({ command }) => command);

export async function soon(is: () => boolean, ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; ) {
    if (is()) return true;
    await delay(50);
  }
  return is();
}
