// Commands of a service and its data folder.

import { hostname } from 'node:os';
import { roles } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { apiOption, asking, dataOption, tokenFileOption } from '../options/connection-options.ts';
import { linking, noEvidenceOption } from '../options/measuring.ts';
import { integerBetween, repeatable, repeated } from '../options/values.ts';
import { running } from '../program/run-program.ts';

const configured = (command: Command) =>
  command
    .option('--config <file>', 'JSON file with all settings (default: pronghorn.config.json, where it exists)')
    .option('--data <folder>', 'folder of the measurements (env: PRONGHORN_DATA)');

export function addServe(program: Command): void {
  configured(program.command('serve'))
    .description('run the service: dashboard, REST API, schedules and, optionally, a runner')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', 'port, 0 for any free one (default: 8080)', integerBetween(0, 65_535))
    .option('--runner', 'also perform campaigns in this process')
    .option(
      '--no-fence',
      'for that runner: over the link direct, let visits reach everything that this machine reaches, inner networks too',
    )
    .option('--demo', 'try it: a runner, and pages of a local server to measure; prints a link that signs in')
    .option('--open', 'without tokens: anyone who can reach the service is admin; on the loopback only')
    .option('--public-reading', 'let everybody read without a token')
    .option('--print-config', 'print every setting with its value and source, and end')
    .action(running(() => import('../service/serve.ts'), 'serveOrPrint'));
}

export function addRunner(program: Command): void {
  linking(
    program
      .command('runner')
      .description('perform a service’s campaigns on this machine, until stopped')
      .addOption(apiOption().makeOptionMandatory())
      .addOption(tokenFileOption())
      .option('--name <name>', 'unique name of this runner', hostname())
      .addOption(new Option('--location <name>', 'where it stands; campaigns can require a location').env('PRONGHORN_LOCATION')),
  )
    .addOption(new Option('--lab <file>', 'file written by a demo origin on this network').env('PRONGHORN_LAB'))
    .addOption(
      new Option(
        '--visit-command <command>',
        'command that performs each visit of campaigns with isolation container; ends in `pronghorn visit`',
      ).env('PRONGHORN_VISIT_COMMAND'),
    )
    .option('--no-fence', 'let visits over the link direct reach everything that this machine reaches, inner networks too')
    .option('--once', 'perform one round, then end (exit code 1 if it failed): for one container a round')
    .addOption(noEvidenceOption())
    .action(running(() => import('../service/runner.ts'), 'runner'));
}

export function addVisit(program: Command): void {
  program
    .command('visit')
    .description('perform one visit for a runner; its --visit-command ends in this')
    .action(running(() => import('../service/runner.ts'), 'visit'));
}

export function addToken(program: Command): void {
  const token = program.command('token').description('create, list and revoke tokens of the service, in its data folder');
  token
    .command('create')
    .description('create a token and print it, once')
    .requiredOption('--name <name>', 'who or what uses it; shown on campaigns and in the audit log')
    .addOption(new Option('--role <role>', 'role of the token').choices(roles).makeOptionMandatory())
    .option('--gate <name>', 'for a submitter: allow only this stored gate; * matches any text (repeatable)', repeated)
    .option('--host <host>', 'for a submitter: allow only this host, such as *.shop.example (repeatable)', repeated)
    .option('--expires <when>', 'when it expires: 90d, 12h, or a date such as 2027-01-31 (default: never)')
    .addOption(dataOption())
    .action(running(() => import('../service/credentials.ts'), 'createToken'));
  token
    .command('list')
    .description('list tokens: name, role, last use, expiry')
    .addOption(dataOption())
    .action(running(() => import('../service/credentials.ts'), 'listTokens'));
  token
    .command('revoke')
    .description('revoke a token, at once and for good')
    .argument('<token>', 'its id, or its name')
    .addOption(dataOption())
    .action(running(() => import('../service/credentials.ts'), 'revokeToken'));
}

export function addSecret(program: Command): void {
  const secret = program.command('secret').description('secrets that campaigns use as secret:NAME; sealed, never shown again');
  const placed = (name: string) =>
    asking(secret.command(name).addOption(apiOption('service to ask (default: this machine’s data folder)'))).addOption(dataOption());

  placed('put')
    .description('seal a secret, replacing one of the same name; reads its value from standard input')
    .argument('<name>', 'campaigns name it as secret:NAME')
    .addOption(repeatable('--host <host>', 'host that may receive it, or *.host for it and all below'))
    .addOption(new Option('--file <file>', 'read the value from a file').conflicts('env'))
    .option('--env <name>', 'read the value from an environment variable')
    .action(running(() => import('../service/credentials.ts'), 'putSecret'));
  placed('list')
    .description('list secrets: name, hosts, when and by whom sealed; no values')
    .action(running(() => import('../service/credentials.ts'), 'listSecrets'));
  placed('delete')
    .description('delete a secret; campaigns that use it fail')
    .argument('<name>', 'name of the secret')
    .action(running(() => import('../service/credentials.ts'), 'deleteSecret'));
}

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy the data, even while the service runs')
    .argument('<target>', 'a new folder, or a file whose name ends in .db')
    .option('--evidence', 'copy the raw evidence too, by hard links where possible')
    .option('--force', 'replace an existing target')
    .addOption(dataOption())
    .action(running(() => import('../service/upkeep.ts'), 'backUpTo'));
}

export function addRetention(program: Command): void {
  configured(program.command('retention'))
    .description('remove expired data: resources, evidence, log lines')
    .option('--dry-run', 'show what would be removed, but remove nothing')
    .option('--trust-clock', 'trust the clock of this machine, however far it is from the time that the service last saw')
    .action(running(() => import('../service/upkeep.ts'), 'retain'));
}
