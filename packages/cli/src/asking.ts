// The `pronghorn-gate` command: gates and schedules of a service, asked from a machine that has Node alone. It is bundled into one file, so nothing that
// measures may be imported here.
import './older-node.ts';
import { version } from '@pronghorn/core/vocabulary';
import { Command } from 'commander';
import { addGates } from './commands/gates.ts';
import { addSchedule } from './commands/schedule.ts';
import { UsageError } from './data.ts';
import { gateSchema } from './gate/gate-schema.ts';
import { runGate } from './gate/run-gate.ts';
import { type GateOptions, gateOptions, gateWishes } from './options/gate.ts';
import { runProgram } from './run-program.ts';

const name = 'pronghorn-gate';
const program = new Command(name)
  .description('Asks a Pronghorn service whether what pronghorn.json asserts of a page’s speed holds, and says so by its exit code.')
  .version(version);

gateOptions(program.command('gate', { isDefault: true }), { page: 'page to measure', api: 'a service whose runners measure' }).action(
  async (options: GateOptions) => {
    if (options.schema !== undefined) process.stdout.write(gateSchema(options.schema));
    else process.exitCode = await runGate(gateWishes(options, name), nobodyMeasures);
  },
);
addGates(program);
addSchedule(program);
await runProgram(program, name);

function nobodyMeasures(): never {
  throw new UsageError(
    'Where the service is, is not said: name it by --api or PRONGHORN_API. This command measures nothing itself; ./pronghorn gate of a checkout does.',
  );
}
