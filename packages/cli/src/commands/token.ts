// Makes, lists and revokes tokens on the data folder itself: the way in for who has none, or lost the admin's.
import { openTokens, ProblemError } from '@pronghorn/api';
import { type Role, roles, type Token, type TokenRequest } from '@pronghorn/core/schemas';
import { scopeWords } from '@pronghorn/core/text';
import { type Command, Option } from 'commander';
import { type DataFolder, dataFolder, UsageError } from '../data.ts';
import { dataOption } from '../options/place.ts';
import { repeated } from '../options/values.ts';
import { plain, table } from '../terminal.ts';

/** Adds `token` with its commands. */
export function addToken(program: Command): void {
  const token = program.command('token').description('make, list and revoke tokens of the service, in its data folder');
  token
    .command('create')
    .description('make a token and print it, once')
    .requiredOption('--name <name>', 'who or what uses it; appears on campaigns and in the audit log')
    .addOption(new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory())
    .option('--gate <name>', 'for a submitter: allow only asking this stored gate; * stands for any text (repeatable)', repeated<string>)
    .option('--host <host>', 'for a submitter: allow only this host, such as *.shop.example (repeatable)', repeated<string>)
    .option('--expires <when>', 'when it expires: 90d, 12h, or a date such as 2027-01-31 (default: never)')
    .addOption(dataOption())
    .action((options: { name: string; role: Role; gate?: string[]; host?: string[]; expires?: string; data?: string }) => {
      const { name, role, gate: gates, host: hosts } = options;
      const expiresAt = options.expires === undefined ? undefined : expiryFrom(options.expires, Date.now());
      process.exitCode = createToken(dataFolder(options.data), {
        ...{ name, role },
        ...(gates || hosts ? { scope: { ...(gates && { gates }), ...(hosts && { hosts }) } } : {}),
        ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
      });
    });
  token
    .command('list')
    .description('list tokens: who, which role, last use, until when')
    .addOption(dataOption())
    .action((options: { data?: string }) => {
      process.exitCode = listTokens(dataFolder(options.data));
    });
  token
    .command('revoke')
    .description('revoke a token, at once and for good')
    .argument('<token>', 'its id, or its name')
    .addOption(dataOption())
    .action((named: string, options: { data?: string }) => {
      process.exitCode = revokeToken(dataFolder(options.data), named);
    });
}

/** Prints the token alone on standard output, so that a script can take it. */
function createToken(data: DataFolder, request: TokenRequest): number {
  const created = onTokens(data, (tokens) => tokens.create(request));
  const { id, name, role, scope } = created;
  const may = scope === null ? '' : ` It may read, and ${plain(scopeWords(scope))} only.`;
  console.error(`Token ${id}, "${plain(name)}", role ${role}, ${expiryOf(created)}.${may} It is shown this once:`);
  console.log(created.token);
  return 0;
}

function listTokens(data: DataFolder): number {
  const tokens = onTokens(data, (opened) => [...opened.list()]);
  if (tokens.length === 0) console.log('There are no tokens. Make one with: ./pronghorn token create --role admin --name NAME');
  else {
    const rows = tokens.map((token) => [
      ...[token.id, plain(token.name), token.role, token.scope === null ? 'all of its role' : plain(scopeWords(token.scope))],
      ...[day(token.createdAt), day(token.lastUsedAt), stateOf(token)],
    ]);
    console.log(table(['id', 'name', 'role', 'may', 'made', 'last used', 'state'], rows, [1, 2, 3, 6]));
  }
  return 0;
}

/** @param token its id, or its name */
function revokeToken(data: DataFolder, token: string): number {
  const { id, name, role } = onTokens(data, (tokens) => tokens.revoke(token));
  console.log(`Token ${id}, "${plain(name)}", role ${role}, is revoked.`);
  return 0;
}

/**
 * When a token ends: after so many days or hours (90d, 12h), or at a time (2027-01-31, 2027-01-31T12:00:00Z).
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

function onTokens<T>(data: DataFolder, work: (tokens: ReturnType<typeof openTokens>) => T): T {
  const tokens = openTokens(data.database);
  try {
    return work(tokens);
  } catch (error) {
    throw error instanceof ProblemError ? new UsageError(error.message) : error;
  } finally {
    tokens.close();
  }
}

const day = (time: string | null) => time?.slice(0, 16).replace('T', ' ') ?? 'never';
const expiryOf = ({ expiresAt }: Token) => (expiresAt === null ? 'never expires' : `expires ${day(expiresAt)} UTC`);

function stateOf(token: Token): string {
  if (token.revokedAt !== null) return `revoked ${day(token.revokedAt)}`;
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now()) return `expired ${day(token.expiresAt)}`;
  return token.issuer === null ? expiryOf(token) : `jobs of ${token.issuer}`;
}
