// Commands about this machine and this repository.

import { engines } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { dataOption, tokenFileOption, tokenOption } from '../options/connection-options.ts';
import { UsageError } from '../program/errors.ts';
import { running } from '../program/run-program.ts';
import { type Step, stepNames } from '../test-command/steps.ts';

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
    .argument('[step...]', `some of ${stepNames.join(', ')} (default: all)`, (step: string, before: Step[] = []) => [
      ...before,
      stepOf(step),
    ])
    .option('--thorough', 'also repeat what only many samples show: kills, fuzzing, links, other browsers; about an hour')
    .option('--changed', 'only what the files changed since main can break, by imports; about five minutes')
    .action(running(() => import('../test-command/run.ts'), 'test'));
}

function stepOf(name: string): Step {
  const step = stepNames.find((one) => one === name);
  if (step === undefined) throw new UsageError(`There is no step ${name}; the steps are ${stepNames.join(', ')}.`);
  return step;
}
