// The `pronghorn` command. Each command says in its own file what it takes.
import { version } from '@pronghorn/core';
import { LinkUnavailable } from '@pronghorn/runner';
import { Command } from 'commander';
import { addBackup } from './commands/backup.ts';
import { addCalibrate } from './commands/calibrate.ts';
import { addCampaign } from './commands/campaign.ts';
import { addConditions } from './commands/conditions.ts';
import { addCrosscheck } from './commands/crosscheck.ts';
import { addDemo } from './commands/demo.ts';
import { addDoctor } from './commands/doctor.ts';
import { addFactorial } from './commands/factorial.ts';
import { addGate } from './commands/gate.ts';
import { addGates } from './commands/gates.ts';
import { addGroundTruth } from './commands/ground-truth.ts';
import { addImport } from './commands/import.ts';
import { addLinkCheck } from './commands/link-check.ts';
import { addLoad } from './commands/load.ts';
import { addMeasure } from './commands/measure.ts';
import { addNetlog } from './commands/netlog.ts';
import { addResults } from './commands/results.ts';
import { addResume } from './commands/resume.ts';
import { addRetention } from './commands/retention.ts';
import { addRunner } from './commands/runner.ts';
import { addScenarios } from './commands/scenarios.ts';
import { addSchedule } from './commands/schedule.ts';
import { addSecret } from './commands/secret.ts';
import { addServe } from './commands/serve.ts';
import { addTest } from './commands/test.ts';
import { addToken } from './commands/token.ts';
import { addVisit } from './commands/visit.ts';
import { runProgram } from './run-program.ts';

const program = new Command('pronghorn')
  .description('Is this page faster over HTTP/3, and how sure are we? Real Chrome, proven protocols.')
  .version(version);

/** As `--help` lists them. */
const groups = {
  'Measure and read:': [addMeasure, addDemo, addResume, addResults, addGate, addCampaign],
  'REST calls:': [addLoad, addScenarios, addFactorial],
  'Networks and trust:': [addConditions, addLinkCheck, addCalibrate, addGroundTruth, addCrosscheck, addNetlog],
  'Service:': [addServe, addRunner, addVisit, addSchedule, addGates, addToken, addSecret, addBackup, addRetention],
  'HAR files of others:': [addImport],
  'This machine, this repository:': [addDoctor, addTest],
};
for (const [heading, additions] of Object.entries(groups)) {
  program.commandsGroup(heading);
  for (const add of additions) add(program);
}
await runProgram(program, './pronghorn', (error) => error instanceof LinkUnavailable);
