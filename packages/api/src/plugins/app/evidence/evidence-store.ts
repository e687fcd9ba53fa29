// The raw evidence of visits, from which their metrics can be derived again: one gzip file each, beside the database.
import { randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';

declare module 'fastify' {
  interface FastifyInstance {
    evidence: EvidenceStore;
  }
}

/** Of one visit, compressed. */
export const maxEvidenceBytes = 64 * 2 ** 20;

/** What was being received for longer than this is of a process that died. */
const staleMs = 3_600_000;

export type EvidenceStore = ReturnType<typeof createEvidenceStore>;

/**
 * @param directory made if it is not there.
 * @throws Error that names the directory when it cannot be written.
 */
export function createEvidenceStore(directory: string) {
  const incoming = join(directory, 'incoming');
  try {
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
  /** Spread over 256 folders, by the first two digits of an id that is a UUID. */
  const pathOf = (visitId: string) => join(directory, visitId.slice(0, 2), `${visitId}.json.gz`);

  return {
    /**
     * Stores it wholly or not at all; what was there before is replaced.
     * @returns whether there was none before.
     * @throws ProblemError body-too-large, unsupported-media-type.
     */
    async put(visitId: string, gzip: Readable): Promise<'new' | 'replaced'> {
      const [path, received] = [pathOf(visitId), join(incoming, `${visitId}.${randomUUID()}`)];
      const existed = await exists(path);
      try {
        await receive(gzip, received);
        await mkdir(join(path, '..'), { recursive: true });
        await rename(received, path);
      } finally {
        await rm(received, { force: true });
      }
      return existed ? 'replaced' : 'new';
    },

    /** The gzip file of a visit; undefined when it has none. */
    async read(visitId: string): Promise<Readable | undefined> {
      return (await exists(pathOf(visitId))) ? createReadStream(pathOf(visitId)) : undefined;
    },

    /** Of a visit that has none too. */
    delete: (visitId: string): Promise<void> => rm(pathOf(visitId), { force: true }),
  };
}

async function receive(gzip: Readable, path: string): Promise<void> {
  await using file = await open(path, 'wx');
  let bytes = 0;
  let head = Buffer.alloc(0);
  // Not destroyed when it is refused half-way, since the refusal goes out on the same socket.
  for await (const chunk of gzip.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (head.length < 2) head = Buffer.concat([head, chunk.subarray(0, 2)]);
    if (head.length >= 2 && (head[0] !== 0x1f || head[1] !== 0x8b)) break;
    bytes += chunk.length;
    if (bytes > maxEvidenceBytes) {
      throw new ProblemError('body-too-large', `The evidence is over ${maxEvidenceBytes} bytes; expected at most so many, compressed.`);
    }
    await file.writeFile(chunk);
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    const found = head.length === 0 ? 'is empty' : `begins with the bytes ${head.subarray(0, 2).toString('hex')}`;
    throw new ProblemError('unsupported-media-type', `The evidence ${found}; expected gzip, which begins with 1f8b.`);
  }
  await file.datasync(); // or a rename could outlive the content when power is lost
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export default fp<{ directory: string }>(
  async (app, { directory }) => {
    app.decorate('evidence', createEvidenceStore(directory));
  },
  { name: 'evidence-store' },
);
