// Options that say where a command works: on a data folder of this machine, or at a service.
import { type Command, Option } from 'commander';

export const dataOption = () => new Option('--data <folder>', 'folder of the measurements').env('PRONGHORN_DATA');

export const apiOption = (what = 'URL of the service') => new Option('--api <url>', what).env('PRONGHORN_API');

/** A runner has no `--token`: it runs for months, and other users of the machine can read its command line. */
export const tokenFileOption = () => new Option('--token-file <file>', 'file with the token (default: the variable PRONGHORN_TOKEN)');

export const tokenOption = () => new Option('--token <token>', 'the token itself; other users of this machine can see it');

export const asking = (command: Command) =>
  command
    .addOption(tokenFileOption())
    .addOption(tokenOption())
    .addOption(
      new Option(
        '--audience <text>',
        'audience of a GitHub job’s own token, where no other token is given (default: the URL of the service)',
      ),
    );
