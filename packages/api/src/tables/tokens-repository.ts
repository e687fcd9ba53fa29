// Tokens, and the sessions of browsers that signed in with one.

import { createHash, randomBytes } from 'node:crypto';
import { type CreatedToken, type OidcRule, type Page, type Role, type Token, type TokenRequest, TokenScope } from '@pronghorn/core/schemas';
import { ownHostProblem } from '@pronghorn/core/visitor';
import { Value } from 'typebox/value';
import type { Clock } from '../plugins/app/clock/clock.ts';
import { ProblemError } from '../shared/problems.ts';
import type { Database } from '../storage/database.ts';
import { pageOf, rowId, type Slice } from '../storage/page.ts';

type Row = Omit<Token, 'id' | 'scope'> & { id: number; scope: string | null };

/** Of a token that can be used now. */
export type LiveToken = { id: number; name: string; role: Role; scope: TokenScope | null; expiresAt: string | null };

/** Owns the table tokens. */
export type TokensRepository = ReturnType<typeof createTokensRepository>;

/** @param now whole milliseconds since 1970. */
export function createTokensRepository(database: Database, now: () => number) {
  const columns = 'id, name, role, scope, issuer, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt';
  const insert = database.prepare<
    { name: string; role: Role; scope: string | null; hash: Buffer; createdAt: string } & Pick<Row, 'issuer' | 'createdBy' | 'expiresAt'>
  >(
    `INSERT INTO tokens (name, role, scope, issuer, hash, createdAt, createdBy, expiresAt)
     VALUES (@name, @role, @scope, @issuer, @hash, @createdAt, @createdBy, @expiresAt)`,
  );
  const select = database.prepare<[number], Row>(`SELECT ${columns} FROM tokens WHERE id = ?`);
  const selectByHash = database.prepare<[Buffer], Row>(`SELECT ${columns} FROM tokens WHERE hash = ?`);
  const selectByName = database.prepare<[string], Row>(`SELECT ${columns} FROM tokens WHERE name = ? AND revokedAt IS NULL`);
  const selectRule = database.prepare<[string], Row>(
    `SELECT ${columns} FROM tokens WHERE name = ? AND issuer IS NOT NULL ORDER BY id DESC LIMIT 1`,
  );
  const updateRule = database.prepare<[Role, string | null, string, number]>(
    'UPDATE tokens SET role = ?, scope = ?, issuer = ? WHERE id = ?',
  );
  const selectNewest = database.prepare<{ cursor: number | null; limit: number }, Row>(
    `SELECT ${columns} FROM tokens WHERE @cursor IS NULL OR id < @cursor ORDER BY id DESC LIMIT @limit + 1`,
  );
  const selectAny = database.prepare<[], { id: number }>('SELECT id FROM tokens WHERE issuer IS NULL LIMIT 1');
  const updateUse = database.prepare<[string, number]>('UPDATE tokens SET lastUsedAt = ? WHERE id = ?');
  const updateRevoked = database.prepare<[string, number]>('UPDATE tokens SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL');

  const timeNow = () => new Date(now()).toISOString();

  /** @returns its id. @throws ProblemError name-taken, invalid-request. */
  function add({ name, role, scope }: TokenRequest, row: Pick<Row, 'issuer' | 'createdBy' | 'expiresAt'> & { hash: Buffer }): number {
    assertScope(role, scope);
    const other = selectByName.get(name);
    if (other) {
      throw new ProblemError('name-taken', `Token ${other.id} is named "${name}" too. Revoke it first, or give this one another name.`);
    }
    return Number(insert.run({ name, role, scope: jsonOf(scope), createdAt: timeNow(), ...row }).lastInsertRowid);
  }

  function create(request: TokenRequest, createdBy: string | null): CreatedToken {
    const token = newToken();
    const expiresAt = request.expiresAt === undefined ? null : futureTime(request.expiresAt, now());
    const id = add(request, { issuer: null, hash: secretHash(token), createdBy, expiresAt });
    return { ...toToken(select.get(id) as Row), token };
  }

  function putRule(rule: OidcRule): { token: Token; change: 'create' | 'change' | null } {
    const { name, role, scope, issuer } = rule;
    const before = selectRule.get(name);
    const isAlike = before?.role === role && before.scope === jsonOf(scope) && before.issuer === issuer;
    if (before !== undefined && (before.revokedAt !== null || isAlike)) return { token: toToken(before), change: null };
    if (before === undefined) {
      const id = add(rule, { issuer, hash: randomBytes(32), createdBy: null, expiresAt: null });
      return { token: toToken(select.get(id) as Row), change: 'create' };
    }
    assertScope(role, scope);
    updateRule.run(role, jsonOf(scope), issuer, before.id);
    return { token: toToken(select.get(before.id) as Row), change: 'change' };
  }

  /** By id, when tokens were used since that was last stored: who reads shall not have to write. */
  const uses = new Map<number, string>();
  const toToken = ({ id, ...row }: Row): Token => ({
    ...{ id: String(id), ...row },
    scope: scopeOf(row),
    lastUsedAt: uses.get(id) ?? row.lastUsedAt,
  });

  /** What can be used now, of a row. */
  function live(row: Row | undefined): LiveToken | undefined {
    if (!row || row.revokedAt !== null || (row.expiresAt !== null && Date.parse(row.expiresAt) <= now())) return undefined;
    uses.set(row.id, timeNow());
    return { id: row.id, name: row.name, role: row.role, scope: scopeOf(row), expiresAt: row.expiresAt };
  }

  return {
    /**
     * Part of a transaction, with what is told of it.
     * @param createdBy name of the token that makes it; null: this machine's own command.
     * @returns the token, which is not kept.
     * @throws ProblemError name-taken; invalid-request when it would be expired already.
     */
    create,

    /**
     * The token that a rule's jobs count as: made, or given the rule's role and scope. Part of a transaction. One that was revoked stays so.
     * @returns it, and what was done. @throws ProblemError as create.
     */
    putRule,

    /** Makes the first token, an admin's: part of a transaction. @returns null where there is or was one already, of this process or another. */
    createFirst: (name: string): CreatedToken | null => (selectAny.get() ? null : create({ name, role: 'admin' }, null)),

    /** When tokens were used that were looked up here, as far as it is not stored: id and ISO 8601. */
    unstoredUses: (): [number, string][] => [...uses],
    setUses(used: readonly (readonly [number, string])[]): void {
      for (const [id, at] of used) updateUse.run(at, id);
    },
    /** They are stored. */
    forgetUses(stored: readonly (readonly [number, string])[]): void {
      for (const [id, at] of stored) if (uses.get(id) === at) uses.delete(id);
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

/** What the audit log says of one that was made. */
export const auditedOf = ({ name, role, scope, expiresAt }: Token) => ({ name, role, expiresAt, ...(scope === null ? {} : { scope }) });

const jsonOf = (scope: TokenScope | undefined): string | null => (scope === undefined ? null : JSON.stringify(scope));
const scopeOf = ({ scope }: Pick<Row, 'scope'>): TokenScope | null => (scope === null ? null : JSON.parse(scope));

/** @throws ProblemError invalid-request. */
function assertScope(role: Role, scope: TokenScope | undefined): void {
  if (scope === undefined) return;
  const refuse = (pointer: string, detail: string): never => {
    throw new ProblemError('invalid-request', detail, [{ pointer, detail }]);
  };
  if (role !== 'submitter')
    refuse('#/scope', `A scope narrows what a submitter may make; the role is ${role}. Leave the scope out, or take role submitter.`);
  if (!Value.Check(TokenScope, scope))
    refuse('#/scope', 'The scope has neither gates nor hosts, or an empty list or text; expected names of gates, or hosts, or both.');
  for (const [place, host] of (scope.hosts ?? []).entries()) {
    const problem = ownHostProblem(host);
    if (problem !== undefined) refuse(`#/scope/hosts/${place}`, problem);
  }
}

function futureTime(given: string, now: number): string {
  const time = Date.parse(given); // a leap second has the form of a time, and is none
  if (Number.isNaN(time) || time <= now) {
    const detail = `expiresAt is ${given}; expected a time after ${new Date(now).toISOString()}.`;
    throw new ProblemError('invalid-request', detail, [{ pointer: '#/expiresAt', detail }]);
  }
  return new Date(time).toISOString();
}

/** Makes tokens recognisable, for people and for programs that search repositories and logs for secrets: `prg_[0-9a-f]{64}`. */
const tokenPrefix = 'prg_';

/** 256 random bits: nobody guesses one. */
export const newSecret = (): string => randomBytes(32).toString('hex');

const newToken = (): string => tokenPrefix + newSecret();

/**
 * What is stored of a secret. A plain SHA-256 is right here, other than for passwords: a slow, salted hash protects what people choose from being
 * guessed, and 256 random bits can't be guessed, however fast the hash. Looking a secret up by its hash needs no comparison in constant
 * time either: what the time of the search tells is of a hash, and nobody can make a secret for a hash.
 */
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest();

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
