import type { Database } from '../../../storage/database.ts';
import type { Clock } from '../clock/clock.ts';
import { type LiveToken, newSecret, secretHash } from '../tokens/tokens-repository.ts';

/** Owns the table sessions: browsers that are signed in. A cookie holds a session's secret and never a token, so that it ends when told. */
export type SessionsRepository = ReturnType<typeof createSessionsRepository>;

export const defaultSessionMs = 7 * 24 * 3_600_000;

/** @param clock.now whole milliseconds since 1970. @param clock.sessionMs how long a session lasts. */
export function createSessionsRepository(
  database: Database,
  { clock, now, sessionMs }: { clock: Pick<Clock, 'doubt'>; now: () => number; sessionMs: number },
) {
  const insert = database.prepare<[Buffer, number, number]>('INSERT INTO sessions (hash, tokenId, expiresAt) VALUES (?, ?, ?)');
  const select = database.prepare<[Buffer, number], { tokenId: number }>('SELECT tokenId FROM sessions WHERE hash = ? AND expiresAt > ?');
  const remove = database.prepare<[Buffer]>('DELETE FROM sessions WHERE hash = ?');
  const removeExpired = database.prepare<[number]>('DELETE FROM sessions WHERE expiresAt <= ?');

  return {
    /** Ends no later than its token. @returns the session's secret, which is not kept, and how long it lasts. */
    create({ id, expiresAt }: LiveToken): { secret: string; lastsMs: number } {
      const secret = newSecret();
      const lastsMs = Math.min(sessionMs, expiresAt === null ? sessionMs : Date.parse(expiresAt) - now());
      if (clock.doubt() === null) removeExpired.run(now());
      insert.run(secretHash(secret), id, now() + lastsMs);
      return { secret, lastsMs };
    },

    /** The token of a session that has not ended. */
    findTokenId: (secret: string): number | undefined => select.get(secretHash(secret), now())?.tokenId,

    end: (secret: string): void => void remove.run(secretHash(secret)),
  };
}
