// Texts that many resources share, each stored once.
import type { Database } from '../../../storage/database.ts';
import { textHash } from './text-hash.ts';

/** How far ahead of the visit that uses a text its mark is set: one write in so many visits. */
const markAhead = 10_000;

type StringRow = { id: number; usedUntil: number };

export function createStrings(database: Database) {
  const find = database.prepare<[number, string], StringRow>('SELECT id, usedUntil FROM strings WHERE hash = ? AND value = ?');
  const insert = database.prepare<[number, number, string]>('INSERT INTO strings (hash, usedUntil, value) VALUES (?, ?, ?)');
  const mark = database.prepare<[number, number]>('UPDATE strings SET usedUntil = ? WHERE id = ?');
  const select = database.prepare<[number], { value: string }>('SELECT value FROM strings WHERE id = ?');
  const deleteUnused = database.prepare<[number, number]>(
    `DELETE FROM strings WHERE id > ? AND id <= ? AND usedUntil < coalesce((SELECT min(visitSeq) FROM resources), 9007199254740991)`,
  );
  const selectNewest = database.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM strings');

  return {
    /**
     * The ids of a visit's texts, made where there are none. In one transaction with the visit.
     * @param visitSeq larger than of every visit before.
     */
    idsFor(visitSeq: number): (text: string) => number {
      const ids = new Map<string, number>(); // most texts stand in every resource of a visit
      return (text) => {
        const known = ids.get(text);
        if (known !== undefined) return known;
        const hash = textHash(text);
        const row = find.get(hash, text);
        if (row && row.usedUntil < visitSeq) mark.run(visitSeq + markAhead, row.id);
        const id = row?.id ?? Number(insert.run(hash, visitSeq, text).lastInsertRowid);
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

    /** Looks at the texts after one id, up to another. @returns how many were deleted that no visit with resources uses any longer. */
    deleteUnused: (after: number, through: number): number => deleteUnused.run(after, through).changes,
    /** The largest id; 0: there is none. */
    newest: (): number => selectNewest.get()?.id ?? 0,
  };
}
