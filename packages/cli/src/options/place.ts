// Where a command works: on a data folder of this machine, or at a service.
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { reasonOf, UsageError } from '../data.ts';

export const dataOption = () => new Option('--data <folder>', 'where measurements are kept').env('PRONGHORN_DATA');

export const apiOption = (what = 'where the service is') => new Option('--api <url>', what).env('PRONGHORN_API');

/** Says who asks. A runner has no `--token`: it runs for months, and other users of the machine can read its command line. */
export const tokenFileOption = () => new Option('--token-file <file>', 'a file with the token (default: the variable PRONGHORN_TOKEN)');

export const asking = (command: Command) =>
  command
    .addOption(tokenFileOption())
    .addOption(new Option('--token <token>', 'the token itself, which other users of the machine can read here'));

export interface AskingOptions {
  token?: string;
  tokenFile?: string;
}

/**
 * What is said on the command line goes before the environment.
 *
 * @returns null when none is given
 * @throws UsageError when the file can't be read or is empty
 */
export function tokenOf({ token, tokenFile }: AskingOptions, environment = process.env.PRONGHORN_TOKEN): string | null {
  if (tokenFile === undefined) return (token ?? environment)?.trim() || null;
  let content: string;
  try {
    content = readFileSync(tokenFile, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`The token file ${tokenFile} can't be read (${reasonOf(error)}).`);
  }
  if (content === '') throw new UsageError(`The token file ${tokenFile} is empty; expected one line with a token.`);
  return content;
}
