// Seals secrets that campaigns name as secret:NAME, at a service or on the data folder itself. A value is never an argument: other users of the
// machine can read those.
import { readFileSync } from 'node:fs';
import { openSecrets, ProblemError } from '@pronghorn/api';
import type { SealedSecret, SecretUpload } from '@pronghorn/core/schemas';
import { type Command, Option } from 'commander';
import { dataFolder, reasonOf, UsageError } from '../data.ts';
import type { Token } from '../job-token.ts';
import { type AskingOptions, apiOption, asking, dataOption, tokenOf } from '../options/place.ts';
import { repeated } from '../options/values.ts';
import { remoteApi } from '../remote.ts';
import { table } from '../terminal.ts';

interface Place extends AskingOptions {
  api?: string;
  data?: string;
}

interface Source {
  file?: string;
  env?: string;
}

/** Adds `secret` with its commands. */
export function addSecret(program: Command): void {
  const secret = program.command('secret').description('secrets that campaigns use as secret:NAME: sealed, never shown again');
  const placed = (name: string) =>
    asking(secret.command(name).addOption(apiOption('a service; default: this machine’s data folder'))).addOption(dataOption());

  placed('put')
    .description('seal a secret, replacing one of the same name; reads its value from standard input')
    .argument('<name>', 'campaigns name it as secret:NAME')
    .addOption(
      new Option('--host <host>', 'host that may get it, or *.host for it and all below it (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .addOption(new Option('--file <file>', 'take the value from a file').conflicts('env'))
    .option('--env <name>', 'take the value from an environment variable')
    .action(async (name: string, options: Place & Source & { host: string[] }) => {
      if (options.host.length === 0)
        throw new UsageError(
          'No host may get the secret; name some with --host, such as --host www.example.com or --host "*.example.com".',
        );
      const upload = { value: valueFrom(options), hosts: options.host };
      await at(options, async (secrets) => {
        const { hosts } = await secrets.put(name, upload);
        console.log(`Secret ${name} is sealed for ${hosts.join(', ')}. Campaigns name it as secret:${name}.`);
      });
    });
  placed('list')
    .description('list secrets: name, hosts, who sealed them when; no values')
    .action((options: Place) => at(options, async (secrets) => console.log(listed(await secrets.list()))));
  placed('delete')
    .description('delete a secret; campaigns that use it fail')
    .argument('<name>', 'of the secret')
    .action((name: string, options: Place) =>
      at(options, async (secrets) => {
        await secrets.delete(name);
        console.log(`Secret ${name} is deleted.`);
      }),
    );
}

/** Standard input, else what is named; without the line's end that editors and `echo` put behind it. */
function valueFrom({ file, env }: Source): string {
  const value = env === undefined ? contentOf(file) : process.env[env];
  if (value === undefined) throw new UsageError(`The environment variable ${env} is not set; expected the secret in it.`);
  const secret = value.replace(/\r?\n$/, '');
  if (secret === '') throw new UsageError(`${env ?? file ?? 'Standard input'} is empty; expected the secret.`);
  return secret;
}

function contentOf(file: string | undefined): string {
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError(
      'The secret would be seen as it is typed. Send it to standard input from another command, or use --file or --env.',
    );
  try {
    return readFileSync(file ?? 0, 'utf8');
  } catch (error) {
    throw new UsageError(`${file ?? 'Standard input'} can't be read (${reasonOf(error)}); expected the secret.`);
  }
}

interface Secrets {
  put(name: string, upload: SecretUpload): SealedSecret | Promise<SealedSecret>;
  list(): SealedSecret[] | Promise<SealedSecret[]>;
  delete(name: string): void | Promise<void>;
}

/** Works on the secrets of a service, or of a data folder, whether a service runs there or not. */
async function at(options: Place, work: (secrets: Secrets) => Promise<void>): Promise<void> {
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

function secretsOf(url: string, token: Token): Secrets {
  const api = remoteApi({ url, token });
  const path = (name: string) => `/secrets/${encodeURIComponent(name)}`;
  return {
    put: (name, upload) => api.put<SealedSecret>(path(name), upload),
    list: async () => (await api.get<{ items: SealedSecret[] }>('/secrets')).items,
    delete: (name) => api.delete(path(name)),
  };
}

function listed(secrets: readonly SealedSecret[]): string {
  if (secrets.length === 0) return 'There are no secrets. Seal one with: ./pronghorn secret put NAME --host HOST';
  const rows = secrets.map(({ name, hosts, changedAt, changedBy }) => [
    ...[name, hosts.join(', '), changedAt.slice(0, 16).replace('T', ' '), changedBy ?? 'this machine'],
  ]);
  return table(['name', 'hosts', 'sealed (UTC)', 'by'], rows, [0, 1, 2, 3]);
}
