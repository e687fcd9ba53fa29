// A data folder without a service, or beside one that runs: who may write its files owns what is in them. A running service knows of every change
// at once.
import { dirname, join } from 'node:path';
import { type CreatedToken, type SealedSecret, SecretUpload, secretName, type Token, TokenRequest } from '@pronghorn/core/schemas';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { ApiOptions } from './app.ts';
import { createEvidenceStore } from './plugins/app/evidence/evidence-store.ts';
import { createRetention } from './plugins/app/retention/retention.ts';
import { found, ProblemError } from './shared/problems.ts';
import { openDatabase } from './storage/database.ts';
import { ownCaller } from './store/caller.ts';
import { createLocalStore } from './store/open-store.ts';
import { settingsOf } from './store/settings.ts';

/** @throws Error as openDatabase. */
function open(options: Pick<ApiOptions, 'database' | 'evidenceDirectory' | 'evidence'>) {
  const database = openDatabase(options.database);
  const settings = settingsOf(options);
  return { settings, store: createLocalStore(database, settings), close: (): void => void database.close() };
}

/** As `open`, of whose folder nothing but the database is used. */
const openFile = (file: string) => open({ database: file, evidenceDirectory: join(dirname(file), 'evidence') });

/**
 * The tokens of a database. So nobody is locked out whose admin token is lost.
 * @throws Error as openDatabase.
 */
export function openTokens(file: string) {
  const { store, close } = openFile(file);
  const { access } = store;
  return {
    /** @throws ProblemError name-taken, invalid-request. */
    async create(request: TokenRequest): Promise<CreatedToken> {
      if (!Value.Check(TokenRequest.properties.name, request.name)) {
        throw new ProblemError(
          'invalid-request',
          `The name is "${request.name}"; expected 1 to 100 printable characters, not digits alone.`,
        );
      }
      const { created } = await access.createToken(request, ownCaller);
      return created as CreatedToken; // who asks without a key gets a new one
    },

    /** Newest first, revoked and expired ones too. */
    async list(): Promise<Token[]> {
      const all: Token[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof access.tokens>> = await access.tokens({ limit: 100, cursor: cursor ? Number(cursor) : null });
        all.push(...page.items);
        cursor = page.nextCursor;
      }
      return all;
    },

    /** @returns the token, revoked now or before. @throws ProblemError not-found. */
    async revoke(idOrName: string): Promise<Token> {
      const token = (await access.findToken(idOrName)) ?? (await access.findTokenByName(idOrName));
      return access.revokeToken(found(token, `token ${idOrName} that is not revoked`).id, ownCaller);
    },

    close,
  };
}

/**
 * The sealed secrets of a database, with the key beside it.
 * @throws Error as openDatabase.
 */
export function openSecrets(file: string) {
  const { store, close } = openFile(file);
  const { access } = store;
  return {
    /** In place of one of this name. @throws ProblemError invalid-request. */
    async put(name: string, upload: SecretUpload): Promise<SealedSecret> {
      const wrong = problemOf(name, upload);
      if (wrong !== undefined) throw new ProblemError('invalid-request', wrong);
      return access.putSecret(name, upload, ownCaller);
    },

    /** By name; values stay sealed. */
    list: access.secrets,

    /** @throws ProblemError not-found. */
    async delete(name: string): Promise<void> {
      const secrets = await access.secrets();
      if (!secrets.some((secret) => secret.name === name)) throw new ProblemError('not-found', `There is no secret ${name}.`);
      await access.deleteSecret(name, ownCaller);
    },

    close,
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
  const { store, settings, close } = open(options);
  const retention = createRetention({ store, evidence: createEvidenceStore(store, settings.evidence), now: Date.now });
  const { doubt, believe } = store.clock;
  return { ...retention, clock: { doubt, believe }, close };
}

/** The ownership token of a database. @throws Error as openDatabase. */
export async function readOwnershipToken(file: string): Promise<string> {
  const { store, close } = openFile(file);
  try {
    return (await store.service.callsPermission()).token;
  } finally {
    close();
  }
}
