// Brings the files of evidence and their index together, after whatever happened to either: a process killed between two steps, power lost, a
// backup put in their place, files removed or cut off by hand.
import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { EvidenceParts } from './evidence-store.ts';

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
export async function mendEvidence(parts: EvidenceParts, signal?: AbortSignal): Promise<Mended> {
  const { directory, index, alone, pathOf, removeUnused } = parts;
  const mended: Mended = { stray: 0, lost: 0, found: 0 };

  /** Of nobody, or lost before: then it is that again, if its content is. */
  async function takeStray(hash: Buffer): Promise<void> {
    const path = pathOf(hash);
    const bytes = index.lostBytes(hash);
    const isWhole = bytes !== undefined && statSync(path, { throwIfNoEntry: false })?.size === bytes && (await hashOf(path)).equals(hash);
    await alone(() => {
      if (index.file(hash) !== undefined) return; // uploaded meanwhile
      if (isWhole) {
        index.markFound(hash, bytes);
        mended.found += 1;
      } else {
        rmSync(path, { force: true });
        mended.stray += 1;
      }
    });
  }

  async function markIfLost(hash: Buffer, bytes: number): Promise<void> {
    await alone(() => {
      const file = index.file(hash);
      if (file === undefined || file.refs === 0 || sizeOf(pathOf(hash)) === bytes) return;
      index.markLost(hash);
      mended.lost += 1;
    });
  }

  let looks = 0;
  /** Whoever else asks is answered in between. */
  const pause = async () => void (++looks % 200 === 0 && (await setImmediate()));

  // Of a database that knows no visits, none of the files can be: it is another's, or new, and they may be needed yet.
  const isOurs = index.anyVisit();
  const folders = new Set(await readdir(directory));
  const goesOn = () => signal?.aborted !== true;
  for (let folder = 0; folder < 256 && goesOn(); folder++) {
    const digits = folder.toString(16).padStart(2, '0');
    const names = folders.has(digits) ? await readdir(join(directory, digits)) : [];
    const there = new Set<string>();
    for (const name of names) {
      if (!goesOn()) break;
      await pause();
      if (named.test(name) && name.startsWith(digits)) {
        there.add(name);
        const hash = Buffer.from(name, 'hex');
        if (index.file(hash) === undefined && isOurs) await takeStray(hash);
      }
    }
    for (const { hash, bytes } of index.filesOf(digits)) {
      const isThere = there.has(hash.toString('hex')) && sizeOf(pathOf(hash)) === bytes;
      if (!isThere) await markIfLost(hash, bytes);
      await pause();
    }
  }
  await removeUnused();
  return mended;
}

async function hashOf(path: string): Promise<Buffer> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest();
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;
