// A data folder without a service, or beside one that runs: who may write its files owns what is in them. A running service knows of every change
// at once.
import { type CreatedToken, type SealedSecret, SecretUpload, secretName, type Token, TokenRequest } from '@pronghorn/core/schemas';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { ApiOptions } from './app.ts';
import { createAuditRepository } from './plugins/app/audit/audit-repository.ts';
import { createOwnershipRepository } from './plugins/app/calls/calls.ts';
import { createEvidenceStore } from './plugins/app/evidence/evidence-store.ts';
import { createRetention } from './plugins/app/retention/retention.ts';
import { sealBeside } from './plugins/app/secrets/seal.ts';
import { createSecretsRepository } from './plugins/app/secrets/secrets-repository.ts';
import { auditedOf, createTokensRepository } from './plugins/app/tokens/tokens-repository.ts';
import { found, ProblemError } from './problems.ts';
import { openDatabase } from './storage/database.ts';
import { createLocalStore } from './store/local-store.ts';
import { settingsOf } from './store/settings.ts';

/**
 * The tokens of a database. So nobody is locked out whose admin token is lost.
 * @throws Error as openDatabase.
 */
export function openTokens(file: string, { now = Date.now }: { now?: () => number } = {}) {
  const database = openDatabase(file);
  const tokens = createTokensRepository(database, now);
  const audit = createAuditRepository(database, now);
  const change = changing(database);
  return {
    /** @throws ProblemError name-taken, invalid-request. */
    create(request: TokenRequest): CreatedToken {
      if (!Value.Check(TokenRequest.properties.name, request.name)) {
        throw new ProblemError(
          'invalid-request',
          `The name is "${request.name}"; expected 1 to 100 printable characters, not digits alone.`,
        );
      }
      return change(() => {
        const token = tokens.create(request, null);
        audit.record({ by: null, action: 'token.create', subject: token.id, detail: auditedOf(token) });
        return token;
      });
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
      return change(() => {
        const { id, name, role } = found(tokens.find(idOrName) ?? tokens.findByName(idOrName), `token ${idOrName} that is not revoked`);
        if (tokens.revoke(id)) audit.record({ by: null, action: 'token.revoke', subject: id, detail: { name, role } });
        return found(tokens.find(id), `token ${id}`);
      });
    },

    close: (): void => void database.close(),
  };
}

/**
 * The sealed secrets of a database, with the key beside it.
 * @throws Error as openDatabase.
 */
export function openSecrets(file: string, { now = Date.now }: { now?: () => number } = {}) {
  const database = openDatabase(file);
  const secrets = createSecretsRepository(database, sealBeside(file), now);
  const audit = createAuditRepository(database, now);
  const change = changing(database);
  return {
    /** In place of one of this name. @throws ProblemError invalid-request. */
    put(name: string, upload: SecretUpload): SealedSecret {
      const wrong = problemOf(name, upload);
      if (wrong !== undefined) throw new ProblemError('invalid-request', wrong);
      return change(() => {
        audit.record({ by: null, action: 'secret.put', subject: name, detail: { hosts: upload.hosts } });
        return secrets.put(name, upload, null);
      });
    },

    /** By name; values stay sealed. */
    list: secrets.list,

    /** @throws ProblemError not-found. */
    delete(name: string): void {
      change(() => {
        if (!secrets.delete(name)) throw new ProblemError('not-found', `There is no secret ${name}.`);
        audit.record({ by: null, action: 'secret.delete', subject: name });
      });
    },

    close: (): void => void database.close(),
  };
}

const fits = (schema: TSchema, value: unknown): boolean => Value.Check(schema, value);

/** Never with the value in it. */
function problemOf(name: string, { value, hosts }: SecretUpload): string | undefined {
  if (!fits(secretName, name))
    return `The name is "${name}"; expected up to 100 letters, digits, dots, dashes and underscores, a letter or digit first.`;
  if (!fits(SecretUpload.properties.value, value)) return `The value of ${name} has ${value.length} characters; expected 1 to 10,000.`;
  if (!fits(SecretUpload.properties.hosts, hosts))
    return `The hosts of ${name} are "${hosts.join(', ')}"; expected 1 to 50, each a host or *.host, without scheme, port and path.`;
  return undefined;
}

/** Retention by hand, also beside services on the same data folder. @throws Error as openDatabase. */
export function openRetention(options: Pick<ApiOptions, 'database' | 'evidenceDirectory' | 'evidence'>) {
  const database = openDatabase(options.database);
  const settings = settingsOf(options);
  const store = createLocalStore(database, settings);
  const retention = createRetention({ store, evidence: createEvidenceStore(store, settings.evidence), now: Date.now });
  const { doubt, believe } = store.clock;
  return { ...retention, clock: { doubt, believe }, close: (): void => void database.close() };
}

/** The ownership token of a database. @throws Error as openDatabase. */
export function readOwnershipToken(file: string): string {
  const database = openDatabase(file);
  try {
    return createOwnershipRepository(database).token();
  } finally {
    database.close();
  }
}

/** Makes a change wholly or not at all. */
const changing =
  (database: ReturnType<typeof openDatabase>) =>
  <T>(work: () => T): T =>
    database.transaction(work).immediate();
