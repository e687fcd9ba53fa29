// Texts that many resources share, each stored once.
import type { Database } from '../../../storage/database.ts';
import { textHash } from './text-hash.ts';

export function createStrings(database: Database) {
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
