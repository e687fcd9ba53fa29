import type { Resource } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import type { Write } from '../../../storage/write.ts';
import { eachTextOf, packResources, unpackResources } from './packed-resources.ts';
import { createStrings } from './strings.ts';

declare module 'fastify' {
  interface FastifyInstance {
    resources: ResourcesRepository;
  }
}

/** Owns the tables resources and strings. */
export type ResourcesRepository = ReturnType<typeof createResourcesRepository>;

export function createResourcesRepository(database: Database) {
  const strings = createStrings(database);
  const insert = database.prepare<[number, Buffer]>('INSERT INTO resources (visitSeq, content) VALUES (?, ?)');
  const select = database.prepare<[number], { content: Buffer }>('SELECT content FROM resources WHERE visitSeq = ?');
  const selectNext = database.prepare<[number, number], { visitSeq: number; content: Buffer }>(
    'SELECT visitSeq, content FROM resources WHERE visitSeq > ? ORDER BY visitSeq LIMIT ?',
  );
  const selectRemoval = database.prepare<[], { removal: number }>('SELECT removal FROM unused_texts');
  const deleteRemoval = database.prepare<[number]>('DELETE FROM unused_texts WHERE removal = ?');
  const deleteThrough = database.prepare<[number, number]>(
    'DELETE FROM resources WHERE visitSeq IN (SELECT visitSeq FROM resources WHERE visitSeq <= ? ORDER BY visitSeq LIMIT ?)',
  );

  return {
    /** @param visitSeq of the visit that they belong to. */
    insertAll(visitSeq: number, resources: readonly Resource[]): void {
      if (resources.length > 0) insert.run(visitSeq, packResources(resources, strings.idsFor()));
    },

    /** Of one visit, in the order of requests; none where retention took them away. */
    of(visitSeq: number): Resource[] {
      const row = select.get(visitSeq);
      if (!row) return [];
      const texts = new Map<number, string>();
      return unpackResources(row.content, (id) => {
        const text = texts.get(id) ?? strings.textOf(id);
        texts.set(id, text);
        return text;
      });
    },

    /**
     * Takes away the resources of the oldest visits.
     * @param atMost visits in one go, so that uploads need not wait long.
     * @returns of how many visits: fewer than `atMost` when none is left up to there.
     */
    deleteThrough: (visitSeq: number, atMost: number): number => deleteThrough.run(visitSeq, atMost).changes,

    /**
     * Deletes texts that no visit with resources uses any longer, in two passes of many steps: the first reads what visits use, which locks nothing; the
     * second deletes what was not seen, each time after reading what came meanwhile. So it is right beside uploads of this process and of others.
     *
     * @returns undefined where nothing was removed since somebody last looked; else what takes a step of so many visits or texts, and says whether it
     *   was the last.
     */
    sweep(write: Write): ((size: number) => Promise<boolean>) | undefined {
      const before = selectRemoval.get()?.removal;
      if (before === undefined) return undefined;
      const used = new Uint8Array((strings.newest() >> 3) + 1); // a bit for each text; those that come later are not looked at
      let [seen, swept, isRead] = [0, 0, false];
      const read = (atMost: number): boolean => {
        const rows = selectNext.all(seen, atMost);
        for (const { visitSeq, content } of rows) {
          eachTextOf(content, (id) => {
            if (id >> 3 < used.length) used[id >> 3] = (used[id >> 3] ?? 0) | (1 << (id & 7));
          });
          seen = visitSeq;
        }
        return rows.length < atMost;
      };
      const deleteSome = (atMost: number): boolean => {
        while (!read(1_000));
        const ids = strings.idsAfter(swept, atMost).filter((id) => id >> 3 < used.length);
        for (const id of ids) if (((used[id >> 3] ?? 0) & (1 << (id & 7))) === 0) strings.delete(id);
        swept = ids.at(-1) ?? swept;
        if (ids.length === atMost) return false;
        deleteRemoval.run(before); // unless more was removed since
        return true;
      };
      return async (size) => {
        if (isRead) return write(() => deleteSome(size));
        isRead = read(Math.ceil(size / 10)); // a visit has some hundred texts
        return false;
      };
    },
  };
}

export default fp(
  async (app) => {
    app.decorate('resources', createResourcesRepository(app.database));
  },
  { name: 'resources-repository' },
);
