// What takes long to make and several processes need at once: the first makes it, the others wait for it.
import { existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The process that a number stands for now may be another one by then. */
const longestMs = 600_000;

/**
 * Makes a folder, which then never changes, unless it is there. It is whole, or not there at all.
 * @param make fills a folder of another name, which gets its own name at the end
 * @throws what `make` throws; the next process that needs it tries again
 */
export async function makeOnce(folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  const named = (end: string | number) => join(dirname(folder), `.${basename(folder)}.${end}`);
  const lock = named('maker');
  while (!existsSync(folder)) {
    if (!take(lock)) {
      await delay(100);
      continue;
    }
    const making = named(process.pid);
    try {
      if (existsSync(folder)) return; // made between the look and the lock
      mkdirSync(making, { recursive: true });
      await make(making);
      try {
        renameSync(making, folder);
      } catch (error) {
        if (!existsSync(folder)) throw error; // or another process took over, and was first
      }
    } finally {
      rmSync(making, { recursive: true, force: true });
      rmSync(lock, { force: true });
    }
  }
}

/**
 * Takes the lock, also from a process that died with it. Two may do so at the same moment: both make the same then, and lose nothing but time.
 * @returns whether it is this process's now
 */
function take(lock: string): boolean {
  mkdirSync(dirname(lock), { recursive: true });
  try {
    symlinkSync(String(process.pid), lock); // which makes it with its content in one step
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (!isHeld(lock)) rmSync(lock, { force: true });
  return false;
}

function isHeld(lock: string): boolean {
  try {
    if (Date.now() - lstatSync(lock).mtimeMs > longestMs) return false;
    process.kill(Number(readlinkSync(lock)), 0);
    return true;
  } catch (error) {
    return !['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
