import { type CreatedToken, type Token, TokenRequest } from '@pronghorn/core/schemas';
import { Value } from 'typebox/value';
import { found, ProblemError } from '../../../problems.ts';
import { openDatabase } from '../../../storage/database.ts';
import { createAuditRepository } from '../audit/audit-repository.ts';
import { auditedOf, createTokensRepository } from './tokens-repository.ts';

/**
 * The tokens of a database, for whoever may write its file: who can, owns what is in it. So nobody is locked out whose admin token is
 * lost. A service that runs on the same file need not be stopped, and knows of every change at once.
 *
 * @param options.now whole milliseconds since 1970; default the machine's clock.
 * @throws Error as openDatabase.
 */
export function openTokens(file: string, { now = Date.now }: { now?: () => number } = {}) {
  const database = openDatabase(file);
  const tokens = createTokensRepository(database, now);
  const audit = createAuditRepository(database, now);
  return {
    /** @throws ProblemError name-taken, invalid-request. */
    create(request: TokenRequest): CreatedToken {
      if (!Value.Check(TokenRequest.properties.name, request.name)) {
        throw new ProblemError(
          'invalid-request',
          `The name is "${request.name}"; expected 1 to 100 printable characters, not digits alone.`,
        );
      }
      return database
        .transaction(() => {
          const token = tokens.create(request, null);
          audit.record({ by: null, action: 'token.create', subject: token.id, detail: auditedOf(token) });
          return token;
        })
        .immediate();
    },

    /** Newest first, revoked and expired ones too. */
    *list(): Generator<Token> {
      let cursor: string | null = null;
      do {
        const page: ReturnType<typeof tokens.page> = tokens.page({ limit: 100, cursor: cursor === null ? null : Number(cursor) });
        yield* page.items;
        cursor = page.nextCursor;
      } while (cursor !== null);
    },

    /** @returns the token, revoked now or before. @throws ProblemError not-found. */
    revoke(idOrName: string): Token {
      return database
        .transaction(() => {
          const { id, name, role } = found(tokens.find(idOrName) ?? tokens.findByName(idOrName), `token ${idOrName} that is not revoked`);
          if (tokens.revoke(id)) audit.record({ by: null, action: 'token.revoke', subject: id, detail: { name, role } });
          return found(tokens.find(id), `token ${id}`);
        })
        .immediate();
    },

    close: (): void => void database.close(),
  };
}
