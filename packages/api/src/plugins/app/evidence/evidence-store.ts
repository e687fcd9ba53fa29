// What is kept of visits beside their records: files named by the SHA-256 of their content, beside the database, and an index in it. Content is received
// and read here; what becomes of files and index together is decided by commands (evidence-commands.ts).
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type EvidenceGone, type EvidenceKind, evidenceForms } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../shared/problems.ts';
import { folderMode } from '../../../storage/folder-owner.ts';
import type { Store } from '../../../store/store.ts';
import type { EvidenceSettings } from './evidence-commands.ts';
import { evidencePath, incomingPath, staleMs } from './evidence-folder.ts';
import { type Mended, mendEvidence } from './mend-evidence.ts';

declare module 'fastify' {
  interface FastifyInstance {
    evidence: EvidenceStore;
  }
}

export type EvidenceOptions = Pick<EvidenceSettings, 'budgetBytes'>;

/** What comes of one kind of one visit. */
export type Incoming = {
  kind: EvidenceKind;
  mediaType: string;
  content: Readable;
  /** Where it was told before. */
  bytes?: number | undefined;
  /** What its SHA-256 shall be, in hex, where that was told. */
  sha256?: string | undefined;
};

export type Found = { content: Readable; mediaType: string; bytes: number };

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;

/**
 * @param settings those of the store; the directory is made if it is not there.
 * @throws Error that names the directory when it cannot be written.
 */
export function createEvidenceStore({ evidence: index }: Pick<Store, 'evidence'>, { directory, budgetBytes }: EvidenceSettings) {
  makeFolder(directory, incomingPath(directory));

  async function removeUnused(): Promise<void> {
    while (!(await index.removeUnused()).isLast) await setImmediate();
  }

  /**
   * Makes room within the budget, and promises it to `name`.
   * @param bytes in all. @throws ProblemError evidence-full.
   */
  async function makeRoom(name: string, bytes: number): Promise<void> {
    if (budgetBytes === null) return;
    while (!(await index.promise(name, bytes))) {
      const gone = await index.letGo({ name, bytes });
      const { freedBytes } = await index.removeUnused();
      if (gone === 0 && freedBytes === 0 && !(await index.promise(name, bytes))) {
        const words = `${megabytes(budgetBytes)} MB of evidence may be kept (evidence.budgetMb), and all that there is is pinned or being received`;
        throw new ProblemError('evidence-full', `${words}. Unpin some, or raise the budget.`);
      }
      await setImmediate();
    }
  }

  /** The file of some content, once it is known to be that; null: it is missing or damaged, and is marked as lost. */
  async function checked(hash: string, bytes: number): Promise<FileHandle | null> {
    let file: FileHandle | undefined;
    try {
      file = await open(evidencePath(directory, hash), 'r');
      if ((await file.stat()).size === bytes && (await hashOf(file)) === hash) return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const inode = await file?.stat().then(({ ino }) => ino);
    await file?.close();
    await index.markDamaged(hash, inode ?? null);
    return null;
  }

  /** What is over the budget goes; it may have been larger before. */
  async function fit(): Promise<void> {
    while ((await index.letGo(null)) > 0) await removeUnused();
  }

  return {
    /**
     * Stores it wholly or not at all, and once: evidence never changes. Never is more there than the budget allows.
     * @returns whether there was none before.
     * @throws ProblemError already-different, body-too-large, unsupported-media-type, evidence-full, malformed-request: it is not what its hash says; not-found.
     */
    async put(visitId: string, evidence: Incoming): Promise<'new' | 'same'> {
      const { kind, mediaType, bytes: told = 0, sha256 } = evidence;
      const most = Math.min(evidenceForms[kind].maxBytes, budgetBytes ?? Number.POSITIVE_INFINITY);
      const assertBytes = (given: number) => {
        if (given <= most) return;
        const why = most === budgetBytes ? ', which is all that may be kept (evidence.budgetMb)' : '';
        throw new ProblemError('body-too-large', `The ${kind} has ${given} bytes; expected at most ${most}${why}.`);
      };
      assertBytes(told);
      const name = randomUUID();
      let promised = told;
      let isPromised = budgetBytes !== null;
      try {
        await makeRoom(name, told);
        const { hash, bytes } = await receive(evidence, incomingPath(directory, name), async (bytes) => {
          assertBytes(bytes);
          if (bytes > promised) await makeRoom(name, bytes);
          promised = Math.max(promised, bytes);
        });
        if (sha256 !== undefined && hash !== sha256) {
          const words = `The SHA-256 of the ${kind} that arrived is ${hash}; Content-Digest says ${sha256}`;
          throw new ProblemError('malformed-request', `${words}. Send it again.`);
        }
        const isNew = await index.store(visitId, { kind, mediaType, name, hash, bytes }).catch(async (error) => {
          await index.removeUnindexed(hash);
          throw error;
        });
        isPromised = false;
        return isNew ? 'new' : 'same';
      } finally {
        await rm(incomingPath(directory, name), { force: true });
        if (isPromised) await index.endPromise(name);
      }
    },

    /** What there is of a visit; why it is gone; undefined: it never was there, or is too old. @throws ProblemError not-found. */
    async read(visitId: string, kind: EvidenceKind): Promise<Found | { gone: EvidenceGone } | undefined> {
      const row = await index.find(visitId, kind);
      if (row === undefined) return undefined;
      if (row.gone !== null) return { gone: row.gone };
      const file = await checked(row.hash, row.bytes);
      if (file === null) return { gone: (await index.find(visitId, kind))?.gone ?? 'lost' };
      return { content: file.createReadStream({ start: 0 }), mediaType: row.mediaType, bytes: row.bytes };
    },

    /** Removes the files of what the index names no longer, as when visits were deleted. */
    removeUnused,
    /** Brings files and index together, and keeps to the budget. Whatever it is cut off in, the next call ends. */
    async mend(signal?: AbortSignal): Promise<Mended> {
      await index.removeStale();
      const mended = await mendEvidence(index, directory, signal);
      await removeUnused();
      await fit();
      return mended;
    },
    budgetBytes,
  };
}

function makeFolder(directory: string, incoming: string): void {
  try {
    if (!existsSync(directory)) {
      mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
      mkdirSync(directory, { recursive: true, mode: folderMode(dirname(directory)) }); // another process may just have made it
    }
    mkdirSync(incoming, { recursive: true });
    for (const name of readdirSync(incoming)) {
      const path = join(incoming, name);
      const received = statSync(path, { throwIfNoEntry: false }); // another process may just have given it its place
      if (received && Date.now() - received.mtimeMs > staleMs) rmSync(path, { force: true });
    }
  } catch (error) {
    throw new Error(
      `The evidence directory ${directory} cannot be written (${(error as Error).message}). Check its permissions, or name another.`,
      {
        cause: error,
      },
    );
  }
}

/** @param before is told how much there will be with the next chunk, and may refuse. */
async function receive(
  { kind, mediaType, content }: Incoming,
  path: string,
  before: (bytes: number) => Promise<void>,
): Promise<{ hash: string; bytes: number }> {
  await using file = await open(path, 'wx');
  const sum = createHash('sha256');
  let [bytes, head] = [0, Buffer.alloc(0)];
  // Not destroyed when it is refused half-way, since the refusal goes out on the same socket.
  for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (head.length < headBytes) {
      head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
      if (head.length >= headBytes) assertForm(kind, mediaType, head);
    }
    await before(bytes + chunk.length);
    bytes += chunk.length;
    sum.update(chunk);
    await file.writeFile(chunk);
  }
  assertForm(kind, mediaType, head);
  await file.datasync(); // or a rename could outlive the content when power is lost
  return { hash: sum.digest('hex'), bytes };
}

/** By so many bytes content is told. */
const headBytes = 8;
const forms: Record<string, { words: string; fits(head: Buffer): boolean }> = {
  'application/gzip': { words: 'gzip, which begins with 1f8b', fits: (head) => head[0] === 0x1f && head[1] === 0x8b },
  'video/mp4': { words: 'MP4, which has ftyp from its fifth byte on', fits: (head) => head.toString('latin1', 4, 8) === 'ftyp' },
  'video/webm': { words: 'WebM, which begins with 1a45dfa3', fits: (head) => head.toString('hex', 0, 4) === '1a45dfa3' },
};

function assertForm(kind: EvidenceKind, mediaType: string, head: Buffer): void {
  const form = forms[mediaType];
  if (form?.fits(head) === true) return;
  const given = head.length === 0 ? 'is empty' : `begins with the bytes ${head.subarray(0, 2).toString('hex')}`;
  throw new ProblemError(
    'unsupported-media-type',
    `The ${kind} ${given}; expected ${form?.words ?? evidenceForms[kind].mediaTypes.join(' or ')}.`,
  );
}

async function hashOf(file: FileHandle): Promise<string> {
  const sum: Hash = createHash('sha256');
  const chunk = Buffer.alloc(256 * 1024);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return sum.digest('hex');
    sum.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);

export default fp<EvidenceSettings>(async (app, settings) => {
  app.decorate('evidence', createEvidenceStore(app.store, settings));
});
