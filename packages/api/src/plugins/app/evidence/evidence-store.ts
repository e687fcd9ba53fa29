// What is kept of visits beside their records: files named by the SHA-256 of their content, beside the database, and an index in it. However a
// process ends, a file that the index names is there: it gets its name before the index does, and goes after it. Each step that changes both, or
// decides by one about the other, holds the database's write lock, which is every process's.
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type EvidenceGone, type EvidenceKind, evidenceForms, type VisitEvidence } from '@pronghorn/core/schemas';
import type { FastifyBaseLogger } from 'fastify';
import fp from 'fastify-plugin';
import { found, ProblemError } from '../../../problems.ts';
import type { Database } from '../../../storage/database.ts';
import { folderMode } from '../../../storage/folder-owner.ts';
import type { Write } from '../../../storage/write.ts';
import { createEvidenceRepository, type EvidenceRepository, ranks } from './evidence-repository.ts';
import { type Mended, mendEvidence } from './mend-evidence.ts';

declare module 'fastify' {
  interface FastifyInstance {
    evidence: EvidenceStore;
  }
}

export type EvidenceOptions = {
  /** What all evidence may take, what is being received included; null: as much as the disk has. */
  budgetBytes: number | null;
};

/** What comes of one kind of one visit. */
export type Incoming = {
  kind: EvidenceKind;
  mediaType: string;
  content: Readable;
  /** Where it was told before. */
  bytes?: number | undefined;
  /** What its SHA-256 shall be, where that was told. */
  sha256?: Buffer | undefined;
};

export type Found = { content: Readable; mediaType: string; bytes: number };

/** What was being received for longer than this is of a process that died. */
const staleMs = 3_600_000;
/** Files that go, or make room, in one transaction: a few milliseconds. */
const atOnce = 50;

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;
/** What mending and policies need of it. */
export type EvidenceParts = {
  directory: string;
  index: EvidenceRepository;
  /** Holds the write lock meanwhile: nobody else changes what is read in it. */
  alone: Write;
  pathOf(hash: Buffer): string;
  removeUnused(): Promise<void>;
  now: () => number;
};

/**
 * @param options.directory made if it is not there.
 * @throws Error that names the directory when it cannot be written.
 */
export function createEvidenceStore(
  options: {
    directory: string;
    database: Database;
    write: Write;
    now: () => number;
    log?: Pick<FastifyBaseLogger, 'warn'>;
  } & Partial<EvidenceOptions>,
) {
  const { directory, database, write: alone, now, log, budgetBytes = null } = options;
  const incoming = join(directory, 'incoming');
  makeFolder(directory, incoming);
  const index = createEvidenceRepository(database);
  const nameOf = (hash: Buffer) => hash.toString('hex');
  /** Spread over 256 folders, by the first two digits. */
  const pathOf = (hash: Buffer) => join(directory, nameOf(hash).slice(0, 2), nameOf(hash));

  /** Removes files that nobody needs, some of them. Within `alone`. @returns whether that were all. */
  function removeSome(): boolean {
    const unused = index.unused(atOnce);
    for (const { hash } of unused) {
      rmSync(pathOf(hash), { force: true });
      index.deleteFile(hash); // a process that dies before this is stored leaves a row that nobody needs, which goes next time
    }
    return unused.length < atOnce;
  }

  async function removeUnused(): Promise<void> {
    while (!(await alone(removeSome))) await setImmediate();
  }

  /** What processes that died were receiving has no room any more. */
  function removeStale(): void {
    for (const name of index.stale(Date.now() - staleMs)) {
      rmSync(join(incoming, name), { force: true });
      index.endPromise(name);
    }
  }

  /** Lets go of what is worth least until `bytes` more find room, some of it. Within `alone`. @returns how many. */
  function letGo(bytes: number, budget: number): number {
    let gone = 0;
    while (gone < atOnce && index.usedBytes() - index.unusedBytes() + bytes > budget) {
      const next = index.next(budget);
      if (next === undefined) break;
      index.markGone('budget', next);
      gone += 1;
    }
    return gone;
  }

  /**
   * Makes room within the budget, and promises it to `name`.
   * @param bytes in all. @throws ProblemError evidence-full.
   */
  async function makeRoom(name: string, bytes: number): Promise<void> {
    if (budgetBytes === null) return;
    const isThere = () => {
      if (index.usedBytes() - index.promised(name) + bytes > budgetBytes) return false;
      index.promise(name, bytes, Date.now());
      return true;
    };
    while (!(await alone(isThere))) {
      // In two transactions: the index no longer names a file when that goes, whenever the process ends.
      const gone = await alone(() => {
        removeStale();
        return letGo(bytes - index.promised(name), budgetBytes);
      });
      const freed = await alone(() => {
        const before = index.usedBytes();
        removeSome();
        return before - index.usedBytes();
      });
      if (gone === 0 && freed === 0 && !(await alone(isThere))) {
        const words = `${megabytes(budgetBytes)} MB of evidence may be kept (evidence.budgetMb), and all that there is is pinned or being received`;
        throw new ProblemError('evidence-full', `${words}. Unpin some, or raise the budget.`);
      }
      await setImmediate();
    }
  }

  /** Gives what was received its name, and tells the index: both or, if it fails, none. */
  async function keep(
    visitId: string,
    { kind, mediaType }: Incoming,
    name: string,
    { hash, bytes }: { hash: Buffer; bytes: number },
  ): Promise<boolean> {
    try {
      return await alone(() => {
        const place = found(index.placeOf(visitId), `visit ${visitId}; its evidence comes after it`); // it may have been deleted meanwhile
        assertSame(visitId, kind, index.find(place.visitSeq, kind), hash);
        mkdirSync(dirname(pathOf(hash)), { recursive: true });
        renameSync(join(incoming, name), pathOf(hash)); // onto equal content, if that is there
        const isNew = index.store({ ...place, kind, mediaType, hash, bytes, storedAt: now() });
        index.endPromise(name);
        return isNew;
      });
    } catch (error) {
      await alone(() => index.file(hash) === undefined && rmSync(pathOf(hash), { force: true }));
      throw error;
    }
  }

  /** The file of some content, once it is known to be that; null: it is missing or damaged, and is marked as lost. */
  async function checked(hash: Buffer, bytes: number): Promise<FileHandle | null> {
    let file: FileHandle | undefined;
    try {
      file = await open(pathOf(hash), 'r');
      if ((await file.stat()).size === bytes && (await hashOf(file)).equals(hash)) return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const inode = await file?.stat().then(({ ino }) => ino);
    await file?.close();
    await alone(() => {
      if (inodeOf(pathOf(hash)) !== inode) return; // sent again meanwhile
      if (inode !== undefined) rmSync(pathOf(hash), { force: true });
      const count = index.markLost(hash);
      removeSome();
      const words = `The file of ${count === 1 ? 'the evidence of a visit' : `the evidence of ${count} visits`} is ${inode === undefined ? 'missing' : 'damaged'}: it is lost.`;
      log?.warn({ event: 'evidence-lost', sha256: nameOf(hash) }, words);
    });
    return null;
  }

  const parts: EvidenceParts = { directory, index, alone, pathOf, removeUnused, now };

  /** What is over the budget goes; it may have been larger before. */
  async function fit(): Promise<void> {
    while (budgetBytes !== null && (await alone(() => letGo(0, budgetBytes))) > 0) await removeUnused();
  }

  return {
    /**
     * Stores it wholly or not at all, and once: evidence never changes. Never is more there than the budget allows.
     * @returns whether there was none before.
     * @throws ProblemError already-different, body-too-large, unsupported-media-type, evidence-full, malformed-request: it is not what its hash says; not-found.
     */
    async put(visitId: string, evidence: Incoming): Promise<'new' | 'same'> {
      const { kind, bytes: told = 0, sha256 } = evidence;
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
        const received = await receive(evidence, join(incoming, name), async (bytes) => {
          assertBytes(bytes);
          if (bytes > promised) await makeRoom(name, bytes);
          promised = Math.max(promised, bytes);
        });
        if (sha256 !== undefined && !received.hash.equals(sha256)) {
          const words = `The SHA-256 of the ${kind} that arrived is ${nameOf(received.hash)}; Content-Digest says ${nameOf(sha256)}`;
          throw new ProblemError('malformed-request', `${words}. Send it again.`);
        }
        const isNew = await keep(visitId, evidence, name, received);
        isPromised = false;
        return isNew ? 'new' : 'same';
      } finally {
        await rm(join(incoming, name), { force: true });
        if (isPromised) await alone(() => index.endPromise(name));
      }
    },

    /** What there is of a visit; why it is gone; undefined: it never was there, or is too old. @throws ProblemError not-found. */
    async read(visitId: string, kind: EvidenceKind): Promise<Found | { gone: EvidenceGone } | undefined> {
      const { visitSeq } = found(index.placeOf(visitId), `visit ${visitId}`);
      const row = index.find(visitSeq, kind);
      if (row === undefined) return undefined;
      if (row.gone !== null) return { gone: row.gone };
      const file = await checked(row.hash, row.bytes);
      if (file === null) return { gone: index.find(visitSeq, kind)?.gone ?? 'lost' };
      return { content: file.createReadStream({ start: 0 }), mediaType: row.mediaType, bytes: row.bytes };
    },

    /** What there is of a visit, and what became of the rest. @throws ProblemError not-found. */
    ofVisit: (visitId: string): VisitEvidence => index.ofVisit(found(index.placeOf(visitId), `visit ${visitId}`).visitSeq),

    /** Keeps what there is of a visit, and what will be, until it is unpinned. @param by name of the token. @throws ProblemError not-found. */
    pin: (visitId: string, by: string | null, along: () => void = () => {}): Promise<void> =>
      alone(() => {
        const { visitSeq } = found(index.placeOf(visitId), `visit ${visitId}`);
        index.pin(visitSeq, now(), by);
        index.setRank(visitSeq, ranks.pinned);
        along();
      }),
    /** @param tooOld whether what is not pinned was removed. @throws ProblemError not-found. */
    async unpin(visitId: string, tooOld: (visitSeq: number) => boolean, along: () => void = () => {}): Promise<void> {
      await alone(() => {
        const { visitSeq } = found(index.placeOf(visitId), `visit ${visitId}`);
        index.unpin(visitSeq);
        index.setRank(visitSeq, found(index.placeOf(visitId), `visit ${visitId}`).rank);
        if (tooOld(visitSeq)) index.deleteOfVisit(visitSeq);
        along();
      });
      await removeUnused();
    },

    /** Visits after `seq` up to `through` whose evidence `forgetThrough` would forget. */
    countThrough: index.countThrough,
    /** Forgets evidence of visits after `seq` up to `through` that is not pinned, files and all. @param along stored with it. */
    async forgetThrough(seq: number, through: number, along: () => void): Promise<void> {
      await alone(() => {
        index.deleteThrough(seq, through);
        along();
      });
      await removeUnused();
    },

    /** Removes the files of what the index names no longer, as when visits were deleted. */
    removeUnused,
    /** Brings files and index together, and keeps to the budget. Whatever it is cut off in, the next call ends. */
    async mend(signal?: AbortSignal): Promise<Mended> {
      await alone(removeStale);
      const mended = await mendEvidence(parts, signal);
      await fit();
      return mended;
    },
    /** Of all files, of those that are being received, and of what each rank refers to. */
    usage: index.usage,
    usedBytes: index.usedBytes,
    budgetBytes,
    parts,
  };
}

/** Also of what is gone by now: its hash is known. @throws ProblemError already-different. */
function assertSame(visitId: string, kind: EvidenceKind, before: { hash: Buffer } | undefined, hash: Buffer): void {
  if (before === undefined || before.hash.equals(hash)) return;
  const [stored, arrived] = [before.hash, hash].map((one) => one.toString('hex'));
  throw new ProblemError(
    'already-different',
    `The ${kind} of visit ${visitId} has the SHA-256 ${stored}; what arrived has ${arrived}. Evidence never changes.`,
  );
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
): Promise<{ hash: Buffer; bytes: number }> {
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
  return { hash: sum.digest(), bytes };
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

async function hashOf(file: FileHandle): Promise<Buffer> {
  const sum: Hash = createHash('sha256');
  const chunk = Buffer.alloc(256 * 1024);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return sum.digest();
    sum.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
const megabytes = (bytes: number) => Math.round(bytes / 1e6);

export default fp<{ directory: string; now: () => number } & EvidenceOptions>(
  async (app, options) => {
    app.decorate('evidence', createEvidenceStore({ database: app.database, write: app.write, log: app.log, ...options }));
  },
  { name: 'evidence-store', dependencies: ['sqlite'] },
);
