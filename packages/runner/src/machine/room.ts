import { mkdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Whether there is room to work: for what waits for the api, and for Chrome's profiles, which are in the temporary folder.
 * @param folders besides the temporary one
 * @returns null, or what is full, in words
 */
export function lackOfRoom(folders: readonly string[], minFreeBytes: number): string | null {
  for (const folder of new Set([...folders, tmpdir()])) {
    mkdirSync(folder, { recursive: true, mode: 0o700 }); // whoever cleans /tmp takes what was empty for days
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    if (free < minFreeBytes) {
      return `The disk of ${folder} has ${megabytes(free)} MB left, and ${megabytes(minFreeBytes)} MB are needed to work. Free some space: the runner goes on by itself.`;
    }
  }
  return null;
}

const megabytes = (bytes: number) => Math.floor(bytes / 1e6);
