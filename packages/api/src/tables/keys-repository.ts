import { ProblemError } from '../shared/problems.ts';
import type { Database } from '../storage/database.ts';
import type { Caller } from '../store/caller.ts';

/** How long a key is known. */
const keptMs = 24 * 3_600_000;

/** What a request made, or an earlier one with the same key. */
export type Made = { id: string; replayed: boolean };

type Row = { request: Buffer; made: string };

/** Owns the table idempotency_keys. @param now whole milliseconds since 1970. */
export function createKeysRepository(database: Database, now: () => number) {
  const select = database.prepare<[number, string, number], Row>(
    'SELECT request, made FROM idempotency_keys WHERE tokenId = ? AND key = ? AND createdAt > ?',
  );
  const insert = database.prepare<[number, string, Buffer, string, number]>(
    'INSERT OR REPLACE INTO idempotency_keys (tokenId, key, request, made, createdAt) VALUES (?, ?, ?, ?, ?)',
  );
  const removeOld = database.prepare<[number]>('DELETE FROM idempotency_keys WHERE createdAt <= ?');

  /** What was made under the caller's key before. @throws ProblemError key-reused: the key came with another request. */
  function find({ access, key }: Caller): Made | undefined {
    const row = key === null ? undefined : select.get(access.tokenId ?? 0, key.name, now() - keptMs);
    if (key === null || row === undefined) return undefined;
    if (row.request.toString('hex') === key.request) return { id: row.made, replayed: true };
    throw new ProblemError(
      'key-reused',
      `Idempotency-Key "${key.name}" came with another request before. Give each request a key of its own.`,
    );
  }

  return {
    find,
    /** Makes something once for each key of a token: part of a transaction. @param make returns the id of what it made. @throws as `find`. */
    once(caller: Caller, make: () => string | number): Made {
      const before = find(caller);
      if (before !== undefined) return before;
      const id = String(make());
      const { access, key } = caller;
      if (key !== null) {
        removeOld.run(now() - keptMs);
        insert.run(access.tokenId ?? 0, key.name, Buffer.from(key.request, 'hex'), id, now());
      }
      return { id, replayed: false };
    },
  };
}
