// Temporary folders of this process, below one that names it, so that what a killed process left is known and swept.
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from './processes.ts';

const home = () => join(tmpdir(), `pronghorn-${process.getuid?.() ?? 0}`);
/** Chrome, as another user, must be able to pass through; what is inside stays its own. */
const passable = 0o711;
let own: string | undefined;

/**
 * A fresh folder below this process's own.
 *
 * @param owner uid and gid that Chrome runs as, where it is not ours
 */
export function temporaryFolder(prefix: string, owner?: number): string {
  // Each time: a cleaner of /tmp removes folders that were empty for days.
  own = ownFolder();
  const folder = mkdtempSync(join(own, `${prefix}-`));
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}

/**
 * A fresh folder with files in it, all of one owner. It disappears if filling fails.
 *
 * @param fill returns the files and folders that it wrote
 */
export function filledFolder(prefix: string, owner: number | undefined, fill: (folder: string) => readonly string[]): string {
  const folder = temporaryFolder(prefix, owner);
  try {
    const written = fill(folder);
    if (owner !== undefined) for (const path of written) chownSync(path, owner, owner);
    return folder;
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

/**
 * Reads a file in a folder that a browser owns, which may have put a link there: it follows none.
 *
 * @returns undefined if there is none, or it is empty or too large
 */
export function readWithoutLinks(path: string, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const status = fstatSync(file);
    return status.isFile() && status.size > 0 && status.size <= maxBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

function ownFolder(): string {
  const parent = home();
  makeFolder(parent);
  // Its name can be guessed, and everybody may make folders here: another owner could swap its content under our feet.
  const folder = isOursAlone(parent) ? join(parent, processIdentity(process.pid) ?? `${process.pid}-unknown`) : fallback();
  if (folder !== own) process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  makeFolder(folder);
  return folder;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: passable });
    chmodSync(path, passable); // whatever the umask took
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A real folder of this user, which no other user can write. */
function isOursAlone(path: string): boolean {
  try {
    const status = lstatSync(path);
    return status.isDirectory() && status.uid === (process.getuid?.() ?? status.uid) && (status.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** A folder with an unguessable name; it is not swept after a killed process. */
function fallback(): string {
  if (own !== undefined && isOursAlone(own)) return own;
  const folder = mkdtempSync(`${home()}-`);
  chmodSync(folder, passable);
  return folder;
}

/** Removes a folder whose Chrome may still be writing its last lines. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

/** The same without waiting; never throws. A remaining part goes with this process's own folder. */
export async function discardFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
}

/**
 * Removes what processes that are no longer there left behind: their Chromes first, then their folders.
 *
 * @returns how many folders of dead processes were removed
 */
export function sweep(): number {
  if (!isOursAlone(home())) return 0;
  let removed = 0;
  for (const name of readdirSync(home())) {
    if (!/^\d+-\w+$/.test(name) || processIdentity(Number.parseInt(name, 10)) === name) continue;
    const folder = join(home(), name);
    killProcessesUsing(folder);
    removeFolder(folder);
    removed += 1;
  }
  return removed;
}

export function killProcessesUsing(folder: string): void {
  for (const pid of processesUsing(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}

/** Those that have the folder in their command line, or in their environment as TMPDIR. */
export function processesUsing(folder: string): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const names = (what: string) => readFileSync(`/proc/${entry}/${what}`, 'utf8').includes(folder);
      return names('cmdline') || names('environ') ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
