// Temporary folders of this process, below one that names it, so that what a killed process left is known and swept.
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../machine/process-identity.ts';

const home = () => join(tmpdir(), `pronghorn-${process.getuid?.() ?? 0}`);
let own: string | undefined;

/**
 * A fresh folder below this process's own.
 *
 * @param owner uid and gid that Chrome runs as, where it is not ours
 */
export function temporaryFolder(prefix: string, owner?: number): string {
  if (own === undefined) {
    own = join(home(), processIdentity(process.pid) ?? `${process.pid}-unknown`);
    process.once('exit', () => rmSync(own as string, { recursive: true, force: true, maxRetries: 3 }));
  }
  // Each time: whoever cleans /tmp takes what was empty for days.
  if (mkdirSync(own, { recursive: true, mode: 0o755 }) !== undefined) {
    // Chrome, as another user, must be able to pass through; what is inside stays its own.
    chmodSync(home(), 0o711);
    chmodSync(own, 0o711);
  }
  const folder = mkdtempSync(join(own, `${prefix}-`));
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}

/** Removes a folder whose Chrome may still be writing its last lines. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/**
 * Removes what processes that are no longer there left behind: their Chromes first, then their folders.
 *
 * @returns how many folders of dead processes were removed
 */
export function sweep(): number {
  if (!existsSync(home())) return 0;
  let removed = 0;
  for (const name of readdirSync(home())) {
    if (!/^\d+-\w+$/.test(name) || processIdentity(Number.parseInt(name, 10)) === name) continue;
    const folder = join(home(), name);
    for (const orphan of processesUsing(folder)) {
      try {
        process.kill(orphan, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
    removeFolder(folder);
    removed += 1;
  }
  return removed;
}

function processesUsing(folder: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(folder) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
