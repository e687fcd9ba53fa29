// The `pronghorn-gate` command: gates and schedules of a service, for machines that have only Node. It is bundled into one file, so it must not import
// anything that measures.
import './older-node.ts';
import { version } from '@pronghorn/core/vocabulary';
import { Command } from 'commander';
import { addGates, addSchedule } from './commands/stored.ts';
import { gateSchema } from './gate/gate-file.ts';
import { type GateOptions, gateOptions, gateWishes } from './gate/gate-options.ts';
import { runGate } from './gate/run-gate.ts';
import { UsageError } from './program/errors.ts';
import { ending, runProgram } from './program/run-program.ts';

const name = 'pronghorn-gate';
const program = new Command(name)
  .description('Asks a Pronghorn service whether the assertions of pronghorn.json about page speed hold; the exit code says so.')
  .version(version);

gateOptions(program.command('gate', { isDefault: true }), { page: 'page to measure', api: 'service whose runners measure' }).action(
  ending(async (options: GateOptions) => {
    if (options.schema === undefined) return await runGate(gateWishes(options, name), cannotMeasure);
    process.stdout.write(gateSchema(options.schema));
    return 0;
  }),
);
addGates(program);
addSchedule(program);
const code = await runProgram(program, name, process.argv.slice(2));
if (code !== 0) process.exitCode = code;

function cannotMeasure(): never {
  throw new UsageError(
    'No service is named. Add --api or PRONGHORN_API. This command measures nothing itself; ./pronghorn gate in a checkout does.',
  );
}
