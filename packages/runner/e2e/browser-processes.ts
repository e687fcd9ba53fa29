// Browsers that a test started, for those that kill them and those that look for what is left.
import assert from 'node:assert/strict';
import { findFirefox } from '../src/machine/find.ts';
import { processTree } from '../src/machine/processes.ts';
import { contentOf } from '../src/machine/run.ts';

export interface BrowserProcess {
  pid: number;
  /** Such as `renderer` (Chrome), `tab` (Firefox), or `browser`. */
  type: string;
}

/** Processes below this one whose program is a Chrome. */
export const chromesBelowUs = (): BrowserProcess[] =>
  processesBelowUs(/chrom/, (args) => /--type=(\S+)/.exec(args.join(' '))?.[1] ?? 'browser');

/** Processes below this one whose program is a Firefox. */
export const firefoxesBelowUs = (): BrowserProcess[] =>
  processesBelowUs(/firefox/, (args) => (args.includes('-contentproc') ? (args.at(-1) ?? '') : 'browser'));

/** What this machine lacks for Firefox; false: nothing. */
export function lacksFirefox(): string | false {
  try {
    findFirefox();
    return false;
  } catch (error) {
    return (error as Error).message;
  }
}

function processesBelowUs(name: RegExp, typeOf: (args: readonly string[]) => string): BrowserProcess[] {
  return processTree(process.pid).flatMap(({ pid }) => {
    // What Firefox's fork server starts has its arguments in one; a process that has ended has no command.
    const command = contentOf(`/proc/${pid}/cmdline`) ?? '';
    const [program = '', ...args] = command.split(/[\0 ]/).filter((word) => word !== '');
    return name.test(program) ? [{ pid, type: typeOf(args) }] : [];
  });
}

/** Browsers end processes of their own that they keep ready. */
export function killAll(victims: readonly BrowserProcess[]): void {
  assert.ok(victims.length > 0);
  for (const { pid } of victims) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH');
    }
  }
}
