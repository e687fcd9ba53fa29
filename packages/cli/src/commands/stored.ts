// Gates and schedules that a service stores under names, from anywhere.
import { missedPolicies } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { apiOption, asking } from '../options/connection-options.ts';
import { commaSeparated, integerBetween, percentTo100, repeatable } from '../options/values.ts';
import type { AddScheduleOptions, ScheduleAction, ServiceOptions } from '../service/stored.ts';

const atService = (command: Command) => asking(command.addOption(apiOption().makeOptionMandatory()));

export function addGates(program: Command): void {
  const gates = program.command('gates').description('gates that a service keeps under a name, for schedules and pipelines');
  const work = () => import('../service/stored.ts');

  atService(gates.command('list'))
    .description('all of them: what each measures, and how much it asserts')
    .action(async (options: ServiceOptions) => (await work()).listGates(options));
  atService(gates.command('show'))
    .description('what one asserts, and what it said last')
    .argument('<gate>', 'its name, or its id')
    .option('--json', 'as a file that `gates save` and `gate` take')
    .action(async (given: string, options: ServiceOptions & { json?: true }) => (await work()).showGate(given, options));
  atService(gates.command('save'))
    .description('store what a file asserts, replacing a gate of the same name')
    .argument('<name>', 'of the gate')
    .option('--config <file>', 'what is measured and what must hold; see docs/gates.md', 'pronghorn.json')
    .option('--rules', 'store only what must hold: it judges campaigns that others make')
    .action(async (name: string, options: ServiceOptions & { config: string; rules?: true }) => (await work()).saveGate(name, options));
  atService(gates.command('delete'))
    .description('forget one; what it said stays')
    .argument('<gate>', 'its name, or its id')
    .action(async (given: string, options: ServiceOptions) => (await work()).deleteGate(given, options));
}

/** Commands about one schedule. */
const oneSchedule = {
  starts: 'what became of its starts',
  pause: 'start nothing until it is resumed',
  resume: 'go on after a pause',
  remove: 'forget it; its campaigns stay',
  start: 'start its campaign now',
} satisfies Record<ScheduleAction, string>;

export function addSchedule(program: Command): void {
  const schedule = program.command('schedule').description('campaigns that a service starts by the clock');
  const work = () => import('../service/stored.ts');

  atService(schedule.command('list'))
    .description('all of them, when they start next, and what became of the last start')
    .action(async (options: ServiceOptions) => (await work()).listSchedules(options));
  atService(schedule.command('add'))
    .description('make one')
    .argument('<name>', 'of no other schedule')
    .requiredOption('--cron <expression>', "minute, hour, day of month, month, day of week, such as '30 2 * * *'")
    .option('--time-zone <zone>', 'IANA name, such as Europe/Berlin', 'UTC')
    .option('--campaign <file>', 'JSON, as POST /campaigns takes it')
    .addOption(repeatable('--url <url>', 'page to measure'))
    .option('--rounds <n>', 'of the campaign', integerBetween(1, 10_000))
    .option('--conditions <list>', 'names of conditions of the service', commaSeparated)
    .option('--protocols <list>', 'some of h1, h2, h3', commaSeparated)
    .addOption(new Option('--missed <policy>', 'what becomes of starts while the service did not run').choices(missedPolicies))
    .option('--jitter <seconds>', 'start at most this much later', integerBetween(0, 999_999))
    .option('--gate <gate>', 'id or name of a gate that judges each campaign')
    .option('--baseline-runs <n>', 'how many earlier campaigns each is compared with (default: 28)', integerBetween(0, 999_999))
    .option('--threshold <percent>', 'how much worse counts as a regression', percentTo100)
    .action(async (name: string, options: AddScheduleOptions) => (await work()).addNewSchedule(name, options));
  for (const [action, description] of Object.entries(oneSchedule) as [ScheduleAction, string][]) {
    atService(schedule.command(action))
      .description(description)
      .argument('<schedule>', 'its id, or its name')
      .action(async (given: string, options: ServiceOptions) => (await work()).actOnSchedule(action, given, options));
  }
}
