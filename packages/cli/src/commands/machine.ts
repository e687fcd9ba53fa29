// Commands about this machine and this repository.

import { engines } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { dataOption, tokenFileOption, tokenOption } from '../options/connection-options.ts';
import { running } from '../program/run-program.ts';
import { stepNames } from '../test-command/steps.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check what this machine can do and lacks, or whether a service works')
    .addOption(new Option('--engine <name>', 'install what this engine needs, and require it').choices(engines))
    .addOption(dataOption())
    .option('--service <url>', 'check this service from outside instead; needs a viewer’s token for all checks')
    .addOption(tokenFileOption())
    .addOption(tokenOption())
    .action(running(() => import('../doctor/machine.ts'), 'doctor'));
}

export function addTest(program: Command): void {
  program
    .command('test')
    .description('run lint, types, unit tests, end-to-end tests with real Chrome and nginx, and tests of the images')
    .argument('[step or test file...]', `some of ${stepNames.join(', ')}, or paths of test files (default: all steps)`)
    .option('--thorough', 'the end-to-end tests twice, and what only many samples show: kills, fuzzing, links, more browsers; over an hour')
    .addOption(
      new Option(
        '--changed',
        'lint, types, Go’s tests, and the tests nearest to the files changed since main, by imports; no images; about five minutes',
      ).conflicts('thorough'),
    )
    .action(running(() => import('../test-command/run.ts'), 'test'));
}
