// Commands about the gates and schedules that a service stores.

import { missedPolicies, precisions } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { apiOption, asking } from '../options/connection-options.ts';
import { commaSeparated, integerBetween, listOfProtocols, percentTo100, repeatable } from '../options/values.ts';
import { running } from '../program/run-program.ts';
import type { ScheduleAction, ServiceOptions } from '../service/stored.ts';

const stored = () => import('../service/stored.ts');

const atService = (command: Command) => asking(command.addOption(apiOption().makeOptionMandatory()));

export function addGates(program: Command): void {
  const gates = program.command('gates').description('stored gates of a service, for schedules and pipelines');

  atService(gates.command('list'))
    .description('list them: what each measures, and the number of its assertions')
    .action(running(stored, 'listGates'));
  atService(gates.command('show'))
    .description('show the assertions and the latest answers of one')
    .argument('<gate>', 'its name, or its id')
    .option('--json', 'print it as a file for `gates save` and `gate`')
    .action(running(stored, 'showGate'));
  atService(gates.command('save'))
    .description('store the gate of a file, replacing one of the same name')
    .argument('<name>', 'name of the gate')
    .option('--config <file>', 'what to measure and what must hold; see docs/gates.md', 'pronghorn.json')
    .option('--rules', 'store only the assertions: the gate then judges campaigns that others create')
    .action(running(stored, 'saveGate'));
  atService(gates.command('delete'))
    .description('delete one; its answers stay')
    .argument('<gate>', 'its name, or its id')
    .action(running(stored, 'deleteGate'));
}

/** Commands about one schedule. */
const oneSchedule = {
  starts: 'list its starts and their outcomes',
  pause: 'start nothing until it is resumed',
  resume: 'continue after a pause',
  remove: 'delete it; its campaigns stay',
  start: 'start its campaign now',
} satisfies Record<ScheduleAction, string>;

export function addSchedule(program: Command): void {
  const schedule = program.command('schedule').description('campaigns that a service starts at set times');

  atService(schedule.command('list'))
    .description('list them: next start, and the outcome of the last one')
    .action(running(stored, 'listSchedules'));
  atService(schedule.command('add'))
    .description('create one')
    .argument('<name>', 'unique name of the schedule')
    .requiredOption('--cron <expression>', "minute, hour, day of month, month, day of week, such as '30 2 * * *'")
    .option('--time-zone <zone>', 'IANA name, such as Europe/Berlin', 'UTC')
    .option('--campaign <file>', 'JSON file with a campaign, as POST /campaigns takes it')
    .addOption(repeatable('--url <url>', 'page to measure'))
    .option('--rounds <n>', 'rounds of each campaign', integerBetween(1, 10_000))
    .addOption(
      new Option('--precision <name>', 'quick: 10 rounds; normal: 20; precise: 40; until-clear: until settled, at most 60')
        .choices(precisions)
        .conflicts('rounds'),
    )
    .option('--conditions <list>', 'names of conditions or sets that the service knows', commaSeparated)
    .option('--protocols <list>', 'some of h1, h2, h3', listOfProtocols)
    .addOption(new Option('--missed <policy>', 'what to do about starts missed while the service did not run').choices(missedPolicies))
    .option('--jitter <seconds>', 'start up to this much later, at random', integerBetween(0, 999_999))
    .option('--gate <gate>', 'id or name of a gate that judges each campaign')
    .option('--baseline-runs <n>', 'number of earlier campaigns to compare with (default: 28)', integerBetween(0, 999_999))
    .option('--threshold <percent>', 'how much worse counts as a regression', percentTo100)
    .action(running(stored, 'addNewSchedule'));
  for (const [action, description] of Object.entries(oneSchedule) as [ScheduleAction, string][]) {
    atService(schedule.command(action))
      .description(description)
      .argument('<schedule>', 'its id, or its name')
      .action(async (given: string, options: ServiceOptions) => (await stored()).actOnSchedule(action, given, options));
  }
}
