// The command line of `pronghorn`. Files of commands/ declare the commands.
import { version } from '@pronghorn/core/vocabulary';
import { Command } from 'commander';
import { runProgram } from './run-program.ts';

/** In the order of `--help`. These modules only declare options: a command's action loads the rest. */
const groups: Record<string, Record<string, () => Promise<(program: Command) => void>>> = {
  'Measure and read:': {
    measure: async () => (await import('../commands/measure.ts')).addMeasure,
    demo: async () => (await import('../commands/measure.ts')).addDemo,
    resume: async () => (await import('../commands/measure.ts')).addResume,
    results: async () => (await import('../commands/measure.ts')).addResults,
    gate: async () => (await import('../commands/measure.ts')).addGate,
    campaign: async () => (await import('../commands/campaign.ts')).addCampaign,
  },
  'REST calls:': {
    load: async () => (await import('../commands/calls.ts')).addLoad,
    scenarios: async () => (await import('../commands/calls.ts')).addScenarios,
    factorial: async () => (await import('../commands/calls.ts')).addFactorial,
  },
  'Networks and trust:': {
    conditions: async () => (await import('../commands/trust.ts')).addConditions,
    link: async () => (await import('../commands/trust.ts')).addLinkCheck,
    calibrate: async () => (await import('../commands/trust.ts')).addCalibrate,
    'ground-truth': async () => (await import('../commands/trust.ts')).addGroundTruth,
    crosscheck: async () => (await import('../commands/trust.ts')).addCrosscheck,
    netlog: async () => (await import('../commands/trust.ts')).addNetlog,
  },
  'Service:': {
    serve: async () => (await import('../commands/service.ts')).addServe,
    runner: async () => (await import('../commands/service.ts')).addRunner,
    visit: async () => (await import('../commands/service.ts')).addVisit,
    schedule: async () => (await import('../commands/stored.ts')).addSchedule,
    gates: async () => (await import('../commands/stored.ts')).addGates,
    token: async () => (await import('../commands/service.ts')).addToken,
    secret: async () => (await import('../commands/service.ts')).addSecret,
    backup: async () => (await import('../commands/service.ts')).addBackup,
    retention: async () => (await import('../commands/service.ts')).addRetention,
  },
  'HAR files of others:': {
    import: async () => (await import('../commands/import.ts')).addImport,
  },
  'This machine, this repository:': {
    doctor: async () => (await import('../commands/machine.ts')).addDoctor,
    test: async () => (await import('../commands/machine.ts')).addTest,
  },
};

/**
 * Runs a command line, each time anew: nothing remains of one that ran before.
 *
 * @param words what follows the program's name
 * @returns the exit code
 */
export async function commandLine(words: readonly string[]): Promise<number> {
  const program = new Command('pronghorn')
    .description('Is this page faster over HTTP/3, and how sure are we? Real Chrome, proven protocols.')
    .version(version);
  const [named = ''] = words;
  const isKnown = Object.values(groups).some((commands) => Object.hasOwn(commands, named));
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands)) if (!isKnown || name === named) (await load())(program);
  }
  const isUsage = async (error: unknown) => error instanceof (await import('@pronghorn/runner')).LinkUnavailable;
  return await runProgram(program, './pronghorn', words, isUsage);
}
