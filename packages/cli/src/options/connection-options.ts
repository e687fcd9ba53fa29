// Where a command works: on a data folder of this machine, or at a service.

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { reasonOf, UsageError } from '../data.ts';
import { jobTokenOf, type Token } from '../job-token.ts';

export const dataOption = () => new Option('--data <folder>', 'where measurements are kept').env('PRONGHORN_DATA');

export const apiOption = (what = 'where the service is') => new Option('--api <url>', what).env('PRONGHORN_API');

/** Says who asks. A runner has no `--token`: it runs for months, and other users of the machine can read its command line. */
export const tokenFileOption = () => new Option('--token-file <file>', 'file with the token (default: the variable PRONGHORN_TOKEN)');

export const tokenOption = () => new Option('--token <token>', 'the token itself; other users of this machine can see it');

export const asking = (command: Command) =>
  command
    .addOption(tokenFileOption())
    .addOption(tokenOption())
    .addOption(
      new Option('--audience <text>', 'audience of a GitHub job’s own token, where no other is named (default: the URL of the service)'),
    );

export interface TokenOptions {
  token?: string;
  tokenFile?: string;
}
export interface AskingOptions extends TokenOptions {
  audience?: string;
}

/** A token that is named, else that of the job of GitHub or GitLab that this is. @throws UsageError as namedToken */
export const tokenOf = ({ audience, ...options }: AskingOptions, environment = process.env): Token =>
  namedToken(options, environment.PRONGHORN_TOKEN) ?? jobTokenOf(environment, audience);

/**
 * What is said on the command line goes before the environment.
 *
 * @returns null when none is given
 * @throws UsageError when the file can't be read or is empty
 */
export function namedToken({ token, tokenFile }: TokenOptions, environment = process.env.PRONGHORN_TOKEN): string | null {
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
