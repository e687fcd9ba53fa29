import type { Resource } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';
import { eachTextOf, packResources, unpackResources } from './packed-resources.ts';

/** Owns the tables resources and texts. */
export function createResourcesRepository(database: Database) {
  const texts = createTexts(database);
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
      if (resources.length > 0) insert.run(visitSeq, packResources(resources, texts.idsFor()));
    },

    /** Of one visit, in the order of requests; none where retention took them away. */
    of(visitSeq: number): Resource[] {
      const row = select.get(visitSeq);
      if (!row) return [];
      const known = new Map<number, string>();
      return unpackResources(row.content, (id) => {
        const text = known.get(id) ?? texts.textOf(id);
        known.set(id, text);
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
     * What visits after one use, in the order of their arrival.
     * @returns the last of the visits; ids of texts, each once; whether there are no more visits.
     */
    textsUsedAfter(visitSeq: number, atMost: number): { through: number; ids: Set<number>; isLast: boolean } {
      const rows = selectNext.all(visitSeq, atMost);
      const ids = new Set<number>();
      for (const { content } of rows) eachTextOf(content, (id) => ids.add(id));
      return { through: rows.at(-1)?.visitSeq ?? visitSeq, ids, isLast: rows.length < atMost };
    },
    newestText: texts.newest,
    textsAfter: texts.idsAfter,
    deleteText: texts.delete,

    /** A number that is another after each removal of resources; undefined: none were removed since `noteSwept`. */
    removal: (): number | undefined => selectRemoval.get()?.removal,
    /** No text is unused, unless more resources were removed since. */
    noteSwept: (removal: number): void => void deleteRemoval.run(removal),
  };
}

/** Texts that many resources share, each stored once. */
function createTexts(database: Database) {
  const find = database.prepare<[number, string], { id: number }>('SELECT id FROM strings WHERE hash = ? AND value = ?');
  const insert = database.prepare<[number, string]>('INSERT INTO strings (hash, value) VALUES (?, ?)');
  const select = database.prepare<[number], { value: string }>('SELECT value FROM strings WHERE id = ?');
  const selectIds = database.prepare<[number, number], { id: number }>('SELECT id FROM strings WHERE id > ? ORDER BY id LIMIT ?');
  const deleteOne = database.prepare<[number]>('DELETE FROM strings WHERE id = ?');
  const selectNewest = database.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM strings');

  return {
    /** The ids of a visit's texts, made where there are none. In one transaction with the visit. */
    idsFor(): (text: string) => number {
      const ids = new Map<string, number>(); // most texts stand in every resource of a visit
      return (text) => {
        const known = ids.get(text);
        if (known !== undefined) return known;
        const hash = textHash(text);
        const id = find.get(hash, text)?.id ?? Number(insert.run(hash, text).lastInsertRowid);
        ids.set(text, id);
        return id;
      };
    },

    /** @throws Error on an id that no text has. */
    textOf(id: number): string {
      const row = select.get(id);
      if (!row) throw new Error(`there is no string ${id}: the database has lost a text`);
      return row.value;
    },

    /** Ids of the next texts after one. */
    idsAfter: (id: number, atMost: number): number[] => selectIds.all(id, atMost).map((row) => row.id),
    delete: (id: number): void => void deleteOne.run(id),
    /** The largest id; 0: there is none. */
    newest: (): number => selectNewest.get()?.id ?? 0,
  };
}

/**
 * A number by which a text is found: 32 bits of FNV-1a over its UTF-16 units. Texts of the same number are told apart by comparing them.
 *
 * Stored with every text: another function needs a migration. Source: https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
export function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193);
  }
  return hash >>> 0;
}
