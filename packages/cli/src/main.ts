// The `pronghorn` command. Each command says in its own file what it takes.
import { version } from '@pronghorn/core/vocabulary';
import { Command } from 'commander';
import { runProgram } from './run-program.ts';

const program = new Command('pronghorn')
  .description('Is this page faster over HTTP/3, and how sure are we? Real Chrome, proven protocols.')
  .version(version);

/** As `--help` lists them. One that is asked for is loaded alone: all of them take a second. */
const groups: Record<string, Record<string, () => Promise<(program: Command) => void>>> = {
  'Measure and read:': {
    measure: async () => (await import('./commands/measure.ts')).addMeasure,
    demo: async () => (await import('./commands/demo.ts')).addDemo,
    resume: async () => (await import('./commands/resume.ts')).addResume,
    results: async () => (await import('./commands/results.ts')).addResults,
    gate: async () => (await import('./commands/gate.ts')).addGate,
    campaign: async () => (await import('./commands/campaign.ts')).addCampaign,
  },
  'REST calls:': {
    load: async () => (await import('./commands/load.ts')).addLoad,
    scenarios: async () => (await import('./commands/scenarios.ts')).addScenarios,
    factorial: async () => (await import('./commands/factorial.ts')).addFactorial,
  },
  'Networks and trust:': {
    conditions: async () => (await import('./commands/conditions.ts')).addConditions,
    link: async () => (await import('./commands/link-check.ts')).addLinkCheck,
    calibrate: async () => (await import('./commands/calibrate.ts')).addCalibrate,
    'ground-truth': async () => (await import('./commands/ground-truth.ts')).addGroundTruth,
    crosscheck: async () => (await import('./commands/crosscheck.ts')).addCrosscheck,
    netlog: async () => (await import('./commands/netlog.ts')).addNetlog,
  },
  'Service:': {
    serve: async () => (await import('./commands/serve.ts')).addServe,
    runner: async () => (await import('./commands/runner.ts')).addRunner,
    visit: async () => (await import('./commands/visit.ts')).addVisit,
    schedule: async () => (await import('./commands/schedule.ts')).addSchedule,
    gates: async () => (await import('./commands/gates.ts')).addGates,
    token: async () => (await import('./commands/token.ts')).addToken,
    secret: async () => (await import('./commands/secret.ts')).addSecret,
    backup: async () => (await import('./commands/backup.ts')).addBackup,
    retention: async () => (await import('./commands/retention.ts')).addRetention,
  },
  'HAR files of others:': {
    import: async () => (await import('./commands/import.ts')).addImport,
  },
  'This machine, this repository:': {
    doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
    test: async () => (await import('./commands/test.ts')).addTest,
  },
};
const asked = process.argv[2] ?? '';
const isKnown = Object.values(groups).some((commands) => Object.hasOwn(commands, asked));
for (const [heading, commands] of Object.entries(groups)) {
  program.commandsGroup(heading);
  for (const [name, load] of Object.entries(commands)) if (!isKnown || name === asked) (await load())(program);
}
await runProgram(program, './pronghorn', async (error) => error instanceof (await import('@pronghorn/runner')).LinkUnavailable);
