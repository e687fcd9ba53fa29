import type { CreatedToken, Page, Role, Token, TokenRequest } from '@pronghorn/core';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import type { Database } from '../../../storage/database.ts';
import { pageOf, type Slice } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import type { Write } from '../../../storage/write.ts';
import { type Loop, startLoop } from '../loop.ts';
import { newToken, secretHash } from './secret.ts';

declare module 'fastify' {
  interface FastifyInstance {
    tokens: TokensRepository;
  }
}

type Row = Omit<Token, 'id'> & { id: number };

/** Of a token that can be used now. */
export type LiveToken = { id: number; name: string; role: Role; expiresAt: string | null };

/** Owns the table tokens. */
export type TokensRepository = ReturnType<typeof createTokensRepository>;

/** @param now whole milliseconds since 1970. */
export function createTokensRepository(database: Database, now: () => number) {
  const columns = 'id, name, role, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt';
  const insert = database.prepare<[string, Role, Buffer, string, string | null, string | null]>(
    'INSERT INTO tokens (name, role, hash, createdAt, createdBy, expiresAt) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const select = database.prepare<[number], Row>(`SELECT ${columns} FROM tokens WHERE id = ?`);
  const selectByHash = database.prepare<[Buffer], Row>(`SELECT ${columns} FROM tokens WHERE hash = ?`);
  const selectByName = database.prepare<[string], Row>(`SELECT ${columns} FROM tokens WHERE name = ? AND revokedAt IS NULL`);
  const selectNewest = database.prepare<{ cursor: number | null; limit: number }, Row>(
    `SELECT ${columns} FROM tokens WHERE @cursor IS NULL OR id < @cursor ORDER BY id DESC LIMIT @limit + 1`,
  );
  const selectAny = database.prepare<[], { id: number }>('SELECT id FROM tokens LIMIT 1');
  const updateUse = database.prepare<[string, number]>('UPDATE tokens SET lastUsedAt = ? WHERE id = ?');
  const updateRevoked = database.prepare<[string, number]>('UPDATE tokens SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL');

  const timeNow = () => new Date(now()).toISOString();

  function create({ name, role, expiresAt }: TokenRequest, createdBy: string | null): CreatedToken {
    const token = newToken();
    const expires = expiresAt === undefined ? null : futureTime(expiresAt, now());
    const other = selectByName.get(name);
    if (other) {
      throw new ProblemError('name-taken', `Token ${other.id} is named "${name}" too. Revoke it first, or give this one another name.`);
    }
    const id = Number(insert.run(name, role, secretHash(token), timeNow(), createdBy, expires).lastInsertRowid);
    return { ...toToken(select.get(id) as Row), token };
  }

  /** By id, when tokens were used since that was last stored: who reads shall not have to write. */
  const uses = new Map<number, string>();
  const toToken = ({ id, ...row }: Row): Token => ({ id: String(id), ...row, lastUsedAt: uses.get(id) ?? row.lastUsedAt });

  /** What can be used now, of a row. */
  function live(row: Row | undefined): LiveToken | undefined {
    if (!row || row.revokedAt !== null || (row.expiresAt !== null && Date.parse(row.expiresAt) <= now())) return undefined;
    uses.set(row.id, timeNow());
    return { id: row.id, name: row.name, role: row.role, expiresAt: row.expiresAt };
  }

  return {
    /**
     * Part of a transaction, with what is told of it.
     * @param createdBy name of the token that makes it; null: this machine's own command.
     * @returns the token, which is not kept.
     * @throws ProblemError name-taken; invalid-request when it would be expired already.
     */
    create,

    /** Makes the first token, an admin's: part of a transaction. @returns null where there is or was one already, of this process or another. */
    createFirst: (name: string): CreatedToken | null => (selectAny.get() ? null : create({ name, role: 'admin' }, null)),

    /** Stores when tokens were used. */
    async storeUses(write: Write): Promise<void> {
      const unstored = [...uses];
      if (unstored.length === 0) return;
      await write(() => {
        for (const [id, at] of unstored) updateUse.run(at, id);
      });
      for (const [id, at] of unstored) if (uses.get(id) === at) uses.delete(id);
    },

    /** Undefined: it is unknown, revoked or expired. */
    findLive: (token: string): LiveToken | undefined => live(selectByHash.get(secretHash(token))),
    /** As `findLive`, for a session. */
    findLiveById: (id: number): LiveToken | undefined => live(select.get(id)),

    find(id: string): Token | undefined {
      const row = select.get(rowId(id));
      return row && toToken(row);
    },

    /** Of those that are not revoked. */
    findByName(name: string): Token | undefined {
      const row = selectByName.get(name);
      return row && toToken(row);
    },

    /** Newest first, revoked and expired ones too. */
    page({ limit, cursor }: Slice): Page<Token> {
      return pageOf(selectNewest.all({ cursor, limit }), limit, toToken, ({ id }) => id);
    },

    /** For good, from this moment on, in every process. @returns whether it was not revoked before. */
    revoke: (id: string): boolean => updateRevoked.run(timeNow(), rowId(id)).changes === 1,
  };
}

function futureTime(given: string, now: number): string {
  const time = Date.parse(given); // a leap second has the form of a time, and is none
  if (Number.isNaN(time) || time <= now) {
    const detail = `expiresAt is ${given}; expected a time after ${new Date(now).toISOString()}.`;
    throw new ProblemError('invalid-request', detail, [{ pointer: '#/expiresAt', detail }]);
  }
  return new Date(time).toISOString();
}

export default fp<{ now: () => number }>(
  async (app, { now }) => {
    const tokens = createTokensRepository(app.database, now);
    app.decorate('tokens', tokens);
    let loop: Loop | undefined;
    app.addHook('onReady', async () => {
      loop = startLoop({ name: 'tokens', tick: () => tokens.storeUses(app.write), nextAt: () => null }, { now, log: app.log });
    });
    app.addHook('preClose', async () => {
      await loop?.stop();
      await tokens.storeUses(app.write).catch((error: Error) => app.log.warn({ err: error }, 'when tokens were used last was not stored'));
    });
  },
  { name: 'tokens-repository', dependencies: ['sqlite'] },
);
