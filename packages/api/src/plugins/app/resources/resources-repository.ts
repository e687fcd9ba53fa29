import type { Resource } from '@pronghorn/core';
import fp from 'fastify-plugin';
import type { Database } from '../../../storage/database.ts';
import { packResources, unpackResources } from './packed-resources.ts';
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
  const deleteThrough = database.prepare<[number, number]>(
    'DELETE FROM resources WHERE visitSeq IN (SELECT visitSeq FROM resources WHERE visitSeq <= ? ORDER BY visitSeq LIMIT ?)',
  );

  return {
    /** @param visitSeq of the visit that they belong to, which is the newest. */
    insertAll(visitSeq: number, resources: readonly Resource[]): void {
      if (resources.length > 0) insert.run(visitSeq, packResources(resources, strings.idsFor(visitSeq)));
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
     * Deletes texts that no visit with resources uses any longer: of all texts, or of those after one id up to another, since looking at
     * a million takes seconds. @returns how many.
     */
    deleteUnusedTexts: (after = 0, through = strings.newest()): number => strings.deleteUnused(after, through),
    /** The largest id of a text; 0: there is none. */
    newestText: (): number => strings.newest(),
  };
}

export default fp(
  async (app) => {
    app.decorate('resources', createResourcesRepository(app.database));
  },
  { name: 'resources-repository', dependencies: ['sqlite'] },
);
