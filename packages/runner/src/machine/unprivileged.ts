// Starts browsers and other programs of a visit unprivileged, in the visit's namespace; they end with this process.
import type { ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { endsWithUs, rightless } from './run.ts';

/** Chrome refuses its sandbox as root, so root's browsers run as this uid, which no one else has. */
export const unprivilegedUid = 47_813;

export interface LaunchContext {
  /** Command prefix that starts a program in a namespace, with priority. */
  enter: readonly string[];
  /** Limits it to public addresses, where no router does. */
  fence?: { readonly around: readonly string[] } | undefined;
}

/** Through setpriv, so that the kernel ends a browser with this process however that ends, and root's browser is not root. */
export function command(
  executable: string,
  args: string[],
  asOther: boolean,
  enter: readonly string[],
  around: readonly string[] = [],
): { executablePath: string; args: string[] } {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  if (setpriv === undefined) {
    if (asOther)
      throw new Error('Browsers are not started as root, and setpriv (package util-linux), which starts them as another user, is missing.');
    return started([...enter, ...around, executable, ...args]);
  }
  const other = asOther
    ? ['--reuid', `${unprivilegedUid}`, '--regid', `${unprivilegedUid}`, '--clear-groups', ...rightsOf(executable)]
    : [];
  return started([...enter, ...endsWithUs(setpriv, other), ...around, executable, ...args]);
}

/** Rightless, but where a setuid helper may have to make the sandbox: Chrome looks for it beside its program, whatever links led there. */
export function rightsOf(executable: string): readonly string[] {
  return existsSync(join(dirname(realpathSync(executable)), 'chrome-sandbox')) ? [] : rightless;
}

function started([executablePath = '', ...args]: readonly string[]): { executablePath: string; args: string[] } {
  return { executablePath, args };
}

/** No proxies, no debugging switches, no desktop session: a browser sees only what it needs. */
export function cleanEnvironment(): Record<string, string> {
  const names = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE', 'LD_LIBRARY_PATH'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

/** Ends a browser at once, since a graceful end would write a profile that is never read. Takes no longer than a few seconds. */
export async function endBrowser(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGKILL');
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5_000).unref())]);
}
