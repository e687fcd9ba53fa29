// Brings the files of evidence and their index together, after whatever happened to either: a process killed between two steps, power lost, a
// backup put in their place, files removed or cut off by hand.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../../store/store.ts';
import { evidencePath, sizeOf } from './evidence-folder.ts';

/** Files of each fate. */
export type Mended = {
  /** Which the index did not know: removed. */
  stray: number;
  /** Which the index names, and that are missing or of another size: the index says so from now on. */
  lost: number;
  /** Of those lost before: they are there again. */
  found: number;
};

const named = /^[0-9a-f]{64}$/;

/** @param signal ends it between two files. */
export async function mendEvidence(store: Store['evidence'], directory: string, signal?: AbortSignal): Promise<Mended> {
  const mended: Mended = { stray: 0, lost: 0, found: 0 };

  /** Of nobody, or lost before: then it is that again, if its content is. */
  async function takeStray(hash: string): Promise<void> {
    const path = evidencePath(directory, hash);
    const bytes = await store.lostBytes(hash);
    const isWhole = bytes !== undefined && sizeOf(path) === bytes && (await hashOf(path)) === hash;
    const taken = await store.takeStray(hash, isWhole ? bytes : null);
    if (taken !== null) mended[taken] += 1;
  }

  let looks = 0;
  /** Whoever else asks is answered in between. */
  const pause = async () => void (++looks % 200 === 0 && (await setImmediate()));

  // Of a database that knows no visits, none of the files can be: it is another's, or new, and they may be needed yet.
  const isOurs = await store.anyVisit();
  const folders = new Set(await readdir(directory));
  const goesOn = () => signal?.aborted !== true;
  for (let folder = 0; folder < 256 && goesOn(); folder++) {
    const digits = folder.toString(16).padStart(2, '0');
    const names = folders.has(digits) ? await readdir(join(directory, digits)) : [];
    const there = new Set(names.filter((name) => named.test(name) && name.startsWith(digits)));
    const indexed = new Map((await store.filesOf(digits)).map(({ hash, bytes }) => [hash, bytes]));
    for (const hash of there) {
      if (!goesOn()) return mended;
      if (isOurs && !indexed.has(hash)) await takeStray(hash);
      await pause();
    }
    for (const [hash, bytes] of indexed) {
      const isThere = there.has(hash) && sizeOf(evidencePath(directory, hash)) === bytes;
      if (!isThere && (await store.markMissing(hash, bytes))) mended.lost += 1;
      await pause();
    }
  }
  return mended;
}

async function hashOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest('hex');
}
