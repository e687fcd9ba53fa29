// Tokens of a data folder, also for operators who lost the admin’s; and secrets that campaigns name as secret:NAME, at a service or in the data
// folder. A secret’s value is never an argument, since other users of the machine can read those.

import { readFileSync } from 'node:fs';
import { openSecrets, openTokens, ProblemError } from '@pronghorn/api';
import type { SealedSecret, SecretUpload, Token, TokenRequest } from '@pronghorn/core/schemas';
import { scopeWords } from '@pronghorn/core/text';
import type { Role } from '@pronghorn/core/vocabulary';
import { remoteApi } from '../connection/remote-service.ts';
import { type AskingOptions, type Token as RequestToken, tokenOf } from '../connection/token.ts';
import { defined } from '../options/values.ts';
import { UsageError } from '../program/errors.ts';
import { dataFolder, reasonOf } from '../program/files.ts';
import { minute, plain, table } from '../program/terminal.ts';

export interface CreateTokenOptions {
  name: string;
  role: Role;
  gate?: string[];
  host?: string[];
  expires?: string;
  data?: string;
}

export interface SecretOptions extends AskingOptions {
  api?: string;
  data?: string;
}

export interface PutSecretOptions extends SecretOptions {
  host: string[];
  file?: string;
  env?: string;
}

/** Prints only the token on standard output, so that scripts can use it. */
export async function createToken({
  name: newName,
  role: newRole,
  gate: gates,
  host: hosts,
  expires,
  data,
}: CreateTokenOptions): Promise<void> {
  const expiresAt = expires === undefined ? undefined : expiryFrom(expires, Date.now()).toISOString();
  const request: TokenRequest = {
    ...{ name: newName, role: newRole },
    ...(gates || hosts ? { scope: defined({ gates, hosts }) } : {}),
    ...defined({ expiresAt }),
  };
  const created = await onTokens(data, (tokens) => tokens.create(request));
  const { id, name, role, scope } = created;
  const may = scope === null ? '' : ` It may read, and ${plain(scopeWords(scope))} only.`;
  console.error(`Token ${id}, "${plain(name)}", role ${role}, ${expiryOf(created)}.${may} It is shown only now:`);
  console.log(created.token);
}

export async function listTokens({ data }: { data?: string }): Promise<void> {
  const tokens = await onTokens(data, (opened) => opened.list());
  if (tokens.length === 0) console.log('There are no tokens. Create one with: ./pronghorn token create --role admin --name NAME');
  else {
    const rows = tokens.map((token) => [
      ...[token.id, plain(token.name), token.role, token.scope === null ? 'all of its role' : plain(scopeWords(token.scope))],
      ...[minute(token.createdAt), token.lastUsedAt === null ? 'never' : minute(token.lastUsedAt), stateOf(token)],
    ]);
    console.log(table(['id', 'name', 'role', 'may', 'created', 'last used', 'state'], rows, [1, 2, 3, 6]));
  }
}

/** @param token its id, or its name */
export async function revokeToken(token: string, { data }: { data?: string }): Promise<void> {
  const { id, name, role } = await onTokens(data, (tokens) => tokens.revoke(token));
  console.log(`Token ${id}, "${plain(name)}", role ${role}, is revoked.`);
}

/**
 * When a token expires: in days or hours (90d, 12h), or at a time (2027-01-31, 2027-01-31T12:00:00Z).
 *
 * @throws UsageError when it is neither
 */
export function expiryFrom(text: string, now: number): Date {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now + Number(count) * (unit === 'd' ? 24 : 1) * 3_600_000;
  if (Number.isNaN(time) || (count === undefined && !/^\d{4}-\d\d-\d\d/.test(text)))
    throw new UsageError(`--expires is “${text}”; expected a time such as 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z.`);
  return new Date(time);
}

async function onTokens<T>(data: string | undefined, work: (tokens: ReturnType<typeof openTokens>) => Promise<T>): Promise<T> {
  const tokens = openTokens(dataFolder(data).database);
  try {
    return await work(tokens);
  } catch (error) {
    throw error instanceof ProblemError ? new UsageError(error.message) : error;
  } finally {
    tokens.close();
  }
}

const expiryOf = ({ expiresAt }: Token) => (expiresAt === null ? 'never expires' : `expires ${minute(expiresAt)} UTC`);

function stateOf(token: Token): string {
  if (token.revokedAt !== null) return `revoked ${minute(token.revokedAt)}`;
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now()) return `expired ${minute(token.expiresAt)}`;
  return token.issuer === null ? expiryOf(token) : `jobs of ${token.issuer}`;
}

export async function putSecret(name: string, options: PutSecretOptions): Promise<void> {
  if (options.host.length === 0)
    throw new UsageError(
      'No host may receive the secret. Name some with --host, such as --host www.example.com or --host "*.example.com".',
    );
  const upload = { value: valueFrom(options), hosts: options.host };
  await atPlace(options, async (secrets) => {
    const { hosts } = await secrets.put(name, upload);
    console.log(`Secret ${name} is sealed for ${hosts.join(', ')}. Campaigns name it as secret:${name}.`);
  });
}

export const listSecrets = (options: SecretOptions): Promise<void> =>
  atPlace(options, async (secrets) => console.log(secretTable(await secrets.list())));

export const deleteSecret = (name: string, options: SecretOptions): Promise<void> =>
  atPlace(options, async (secrets) => {
    await secrets.delete(name);
    console.log(`Secret ${name} is deleted.`);
  });

/** The value from an environment variable, a file or standard input, without the line break that editors and `echo` add. */
function valueFrom({ file, env }: PutSecretOptions): string {
  const value = env === undefined ? contentOf(file) : process.env[env];
  if (value === undefined) throw new UsageError(`The environment variable ${env} is not set; expected the secret in it.`);
  const secret = value.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError(`${env ?? file ?? 'Standard input'} is empty; expected the secret.`);
  return secret;
}

function contentOf(file: string | undefined): string {
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError(
      'The secret would be visible as you type it. Pipe it to standard input from another command, or use --file or --env.',
    );
  try {
    return readFileSync(file ?? 0, 'utf8');
  } catch (error) {
    throw new UsageError(`${file ?? 'Standard input'} can't be read (${reasonOf(error)}); expected the secret.`);
  }
}

interface Secrets {
  put(name: string, upload: SecretUpload): Promise<SealedSecret>;
  list(): Promise<SealedSecret[]>;
  delete(name: string): Promise<void>;
}

/** Works on the secrets of a service, or of a data folder, with or without a running service. */
async function atPlace(options: SecretOptions, work: (secrets: Secrets) => Promise<void>): Promise<void> {
  if (options.api !== undefined) return work(secretsOf(options.api, tokenOf(options)));
  const secrets = openSecrets(dataFolder(options.data).database);
  try {
    await work(secrets);
  } catch (error) {
    throw error instanceof ProblemError ? new UsageError(error.message) : error;
  } finally {
    secrets.close();
  }
}

function secretsOf(url: string, token: RequestToken): Secrets {
  const api = remoteApi({ url, token });
  return {
    put: (name, body) => api.ask('PUT /secrets/{name}', { name, body }),
    list: async () => (await api.ask('GET /secrets')).items,
    delete: async (name) => void (await api.ask('DELETE /secrets/{name}', { name })),
  };
}

function secretTable(secrets: readonly SealedSecret[]): string {
  if (secrets.length === 0) return 'There are no secrets. Seal one with: ./pronghorn secret put NAME --host HOST';
  const rows = secrets.map(({ name, hosts, changedAt, changedBy }) => [
    ...[name, hosts.join(', '), minute(changedAt), changedBy ?? 'this machine'],
  ]);
  return table(['name', 'hosts', 'sealed (UTC)', 'by'], rows, [0, 1, 2, 3]);
}
