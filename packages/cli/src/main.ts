// The `pronghorn` command.

import {
  adjustments,
  browsers,
  type CampaignRequest,
  type Condition,
  defaultLimits,
  discoveries,
  fewestCalibrationRounds,
  isolations,
  type MetricName,
  metricNames,
  type Protocol,
  protocols,
  type View,
  views,
} from '@pronghorn/core';
import { type ServerName, serverNames } from '@pronghorn/origin';
import { defaultCongestionControl, type LinkChoice, LinkUnavailable, linkChoices } from '@pronghorn/runner';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { calibrate, doubled } from './commands/calibrate.ts';
import { listConditions } from './commands/conditions.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { groundTruth } from './commands/ground-truth.ts';
import { linkCheck } from './commands/link-check.ts';
import { measure, resume, showResults, worldScene } from './commands/measure.ts';
import { serve } from './commands/serve.ts';
import { type Step, stepNames, test } from './commands/test.ts';
import { type ConditionWishes, conditionsOfFile } from './conditions.ts';
import { dataFolder, UsageError } from './data.ts';
import type { Exports } from './exports.ts';

const program = new Command('pronghorn')
  .description('Is this page faster over HTTP/3, and how sure are we? Real Chrome, proven protocols.')
  .version('0.1.0')
  .showHelpAfterError('(see ./pronghorn --help)')
  .configureHelp({ helpWidth: Math.min(process.stdout.columns || 100, 100) })
  .exitOverride();

const dataOption = () => new Option('--data <folder>', 'where measurements are kept').env('PRONGHORN_DATA');
const exporting = (command: Command) =>
  command
    .option('--json <file>', 'write campaign, results and visits as JSON')
    .option('--csv <file>', 'write one line for each visit as CSV')
    .option('--har <folder>', 'write one HAR file for each visit');

/** Which link, and what of it is the operator's choice. */
const linking = (command: Command) =>
  command
    .addOption(
      new Option('--link <kind>', 'auto: a namespace of its own where possible; direct: the machine’s own network')
        .choices(linkChoices)
        .default('auto')
        .env('PRONGHORN_LINK'),
    )
    .addOption(
      new Option('--allow-net <network>', 'a network that visits may reach although it is not public (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .option('--congestion-control <name>', 'of TCP at both ends of the link: cubic, bbr, …', defaultCongestionControl);

interface LinkingOptions {
  link: LinkChoice;
  allowNet: string[];
  congestionControl: string;
}

const linkWishes = ({ link, allowNet, congestionControl }: LinkingOptions) => ({ choice: link, allowNet, congestionControl });

/** Which conditions, by name and by file. */
const conditioned = (command: Command) =>
  command
    .addOption(new Option('--conditions <list>', 'names of conditions; see ./pronghorn conditions').argParser((value) => value.split(',')))
    .addOption(
      new Option('--condition <file>', 'a JSON file with one condition or a list (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .option('--base-rtt <ms>', 'of the path under every lossy condition, instead of its own', milliseconds);

interface ConditionedOptions {
  conditions?: string[];
  condition: string[];
  baseRtt?: number;
}

/** @param usual where neither names nor files are given */
function conditionWishes({ conditions, condition, baseRtt }: ConditionedOptions, usual: readonly string[]): ConditionWishes {
  const list = [...(conditions ?? []), ...condition.flatMap(conditionsOfFile)];
  return { list: list.length === 0 ? usual : list, baseRttMs: baseRtt };
}

/** Options of how pages are visited. */
const visiting = (command: Command) =>
  command
    .addOption(
      new Option('--view <list>', 'cold: nothing kept; warm: the repeat view').argParser(listOf(views)).default(['cold' as View], 'cold'),
    )
    .addOption(new Option('--discovery <how>', 'how Chrome comes to HTTP/3').choices(discoveries).default('forced'))
    .addOption(new Option('--isolation <what>', 'what is fresh for each cold visit').choices(isolations).default('context'))
    .addOption(new Option('--browser <build>', 'which Chrome').choices(browsers).default('chrome'))
    .option('--timeout <seconds>', 'time limit of a page load', seconds, 60)
    .option('--busy <share>', 'share of the CPU that other work may take, 0 to 1', share, defaultLimits.foreignCpuShare)
    .option('--seed <n>', 'decides every random order', between(0, 2 ** 31 - 1))
    .option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)')
    .addOption(dataOption());

interface VisitingOptions extends Exports, LinkingOptions, ConditionedOptions {
  protocols: Protocol[];
  rounds: number;
  view: View[];
  discovery: (typeof discoveries)[number];
  isolation: (typeof isolations)[number];
  browser: (typeof browsers)[number];
  timeout: number;
  busy: number;
  seed?: number;
  evidence: boolean;
  data?: string;
}

/** Options of what is measured, the same for `measure` and `demo`. */
const measuring = (command: Command, rounds: number) =>
  visiting(
    linking(conditioned(exporting(command)))
      .addOption(
        new Option('--protocols <list>', 'some of h1, h2, h3; one named twice is compared with itself')
          .argParser(listOf(protocols))
          .default([...protocols], protocols.join(',')),
      )
      .option('--rounds <n>', 'in each, every protocol loads the page once, in random order', between(1, 10_000), rounds)
      .addOption(
        new Option('--until-settled [rounds]', 'add rounds, at most so many in all, until h3 against h2 is settled').argParser(
          between(1, 10_000),
        ),
      )
      .addOption(new Option('--metric <name>', 'of the verdict, fixed before the campaign').choices(metricNames).default('onLoad'))
      .option('--margin <percent>', 'difference between protocols that counts as none', percentage, 5)
      .addOption(new Option('--adjust <how>', 'for the number of comparisons').choices(adjustments).default('holm')),
  );

interface MeasuringOptions extends VisitingOptions {
  untilSettled?: number | true;
  metric: MetricName;
  margin: number;
  adjust: (typeof adjustments)[number];
}

measuring(program.command('measure'), 20)
  .description('load pages over HTTP/1.1, HTTP/2 and HTTP/3 and compare')
  .argument('<url...>', 'pages to measure')
  .option('--expect-status <status>', 'status that the document must have', between(200, 599), 200)
  .action(async (urls: string[], options: MeasuringOptions & { expectStatus: number }) => {
    const sites = urls.map((url) => ({ url: withScheme(url), expectStatus: options.expectStatus }));
    const wishes = conditionWishes(options, ['native']);
    const setScene = async (conditions: readonly Condition[]) => ({
      request: requestOf(sites, options),
      ...worldScene(conditions, linkWishes(options)),
    });
    process.exitCode = await measure({ conditions: wishes, setScene }, measureOptions(options));
  });

linking(exporting(program.command('resume')))
  .description('go on with a campaign that was stopped')
  .argument('[campaign]', 'its id; default: the latest that is not done')
  .option('--no-evidence', 'do not store raw evidence')
  .addOption(dataOption())
  .action(async (id: string | undefined, options: Exports & LinkingOptions & { evidence: boolean; data?: string }) => {
    process.exitCode = await resume(id, measureOptions(options));
  });

exporting(program.command('results'))
  .description('show or export what a campaign measured')
  .argument('[campaign]', 'its id; default: the latest')
  .addOption(dataOption())
  .action(async (id: string | undefined, options: Exports & { data?: string }) => {
    process.exitCode = await showResults(id, { data: dataFolder(options.data), exports: options });
  });

measuring(program.command('demo'), 3)
  .description('measure the demo sites of a local server with HTTP/3, behind a link; nothing leaves this machine')
  .option('--sites <list>', 'some of the demo sites', (value) => value.split(','))
  .addOption(new Option('--origin <server>', 'what serves the demo sites').choices(serverNames).default('nginx'))
  .option('--port <n>', 'port of the demo’s server (default: 4433, or any that is free)', between(1, 65_535))
  .option('--no-open', 'end when done, also on a terminal')
  .action(async (options: MeasuringOptions & { sites?: string[]; open: boolean; port?: number; origin: ServerName }) => {
    const keepOpen = options.open && process.stdout.isTTY === true && process.env.CI !== 'true';
    process.exitCode = await demo(
      options.sites,
      (sites) => requestOf(sites, options),
      conditionWishes(options, []),
      measureOptions(options),
      keepOpen,
      { server: options.origin, port: options.port },
    );
  });

measuring(program.command('ground-truth'), 20)
  .description('measure pages whose onLoad and SpeedIndex are known by construction, and tell the error')
  .action(async (options: MeasuringOptions) => {
    process.exitCode = await groundTruth((sites) => requestOf(sites, options), measureOptions(options));
  });

visiting(
  linking(conditioned(exporting(program.command('calibrate'))))
    .addOption(
      new Option('--protocols <list>', 'some of h1, h2, h3; each is compared with itself')
        .argParser(listOf(protocols))
        .default(['h2', 'h3'] satisfies Protocol[], 'h2,h3'),
    )
    .option('--rounds <n>', 'in each, every protocol loads the page twice, in random order', roundsToCalibrate, 100),
)
  .description('measure protocols against themselves: false winners, and the smallest difference that is seen')
  .argument('[url]', 'page to measure; default: the demo’s shop')
  .option('--sites <list>', 'some of the demo sites', (value) => value.split(','))
  .addOption(new Option('--origin <server>', 'what serves the demo sites').choices(serverNames).default('nginx'))
  .action(async (url: string | undefined, options: VisitingOptions & { sites?: string[]; origin: ServerName }) => {
    if (url !== undefined && options.sites !== undefined) throw new UsageError('Name a URL or --sites of the demo, not both.');
    const pages = url === undefined ? { names: options.sites ?? ['shop'], server: options.origin } : { url: withScheme(url) };
    process.exitCode = await calibrate(
      pages,
      (sites) => visitsOf(sites, { ...options, protocols: doubled(options.protocols) }),
      conditionWishes(options, ['native']),
      measureOptions(options),
    );
  });

program
  .command('conditions')
  .description('list the network conditions that are known, with their numbers')
  .option('--json', 'as a condition file holds them', false)
  .addOption(dataOption())
  .action(async (options: { json: boolean; data?: string }) => {
    process.exitCode = await listConditions(dataFolder(options.data), options.json);
  });

const link = program.command('link').description('the emulated network path between Chrome and the pages');
linking(link.command('check'))
  .description('measure what the link does under each condition, beside what the condition says')
  .argument('[condition...]', 'names of conditions; default: all')
  .addOption(
    new Option('--condition <file>', 'a JSON file with one condition or a list (repeatable)')
      .argParser(repeated<string>)
      .default([], 'none'),
  )
  .option('--base-rtt <ms>', 'of the path under every lossy condition, instead of its own', milliseconds)
  .option('--json', 'every number, as stored with a round', false)
  .addOption(dataOption())
  .action(async (names: string[], options: LinkingOptions & ConditionedOptions & { json: boolean; data?: string }) => {
    const wishes = conditionWishes({ ...options, conditions: names }, []);
    process.exitCode = await linkCheck(wishes, { data: dataFolder(options.data), link: linkWishes(options), json: options.json });
  });

program
  .command('serve')
  .description('show the results of all campaigns in a browser page')
  .option('--port <n>', 'port on 127.0.0.1; 0 for any that is free', between(0, 65_535), 8080)
  .addOption(dataOption())
  .action(async (options: { port: number; data?: string }) => {
    process.exitCode = await serve(options.port, dataFolder(options.data));
  });

program
  .command('doctor')
  .description('tell what this machine can do and what is missing')
  .addOption(dataOption())
  .action(async (options: { data?: string }) => {
    process.exitCode = await doctor(dataFolder(options.data));
  });

program
  .command('test')
  .description('lint, types, unit tests, end-to-end tests with real Chrome and nginx')
  .argument('[step...]', `some of ${stepNames.join(', ')}; default: all`)
  .action((named: string[]) => {
    const unknown = named.find((name) => !(stepNames as string[]).includes(name));
    if (unknown !== undefined) throw new UsageError(`There is no step ${unknown}; the steps are ${stepNames.join(', ')}.`);
    process.exitCode = test(named.length === 0 ? stepNames : (named as Step[]));
  });

function measureOptions(options: Exports & LinkingOptions & { evidence: boolean; data?: string }) {
  return { data: dataFolder(options.data), exports: options, keepEvidence: options.evidence, link: linkWishes(options) };
}

function requestOf(sites: CampaignRequest['sites'], options: MeasuringOptions): CampaignRequest {
  return {
    ...visitsOf(sites, options),
    primaryMetric: options.metric,
    margin: options.margin / 100,
    adjustment: options.adjust,
    ...(options.untilSettled === undefined ? {} : { maximumRounds: maximumRounds(options) }),
  };
}

function visitsOf(sites: CampaignRequest['sites'], options: VisitingOptions): CampaignRequest {
  return {
    sites,
    protocols: options.protocols,
    rounds: options.rounds,
    views: options.view,
    discovery: options.discovery,
    isolation: options.isolation,
    browser: options.browser,
    limits: { loadTimeoutMs: Math.round(options.timeout * 1_000), foreignCpuShare: options.busy },
    ...(options.seed === undefined ? {} : { seed: options.seed }),
  };
}

/** Where only the wish is told: as many as settle most differences of a tenth, and more than the first look has. */
const maximumRounds = ({ untilSettled, rounds }: MeasuringOptions): number =>
  typeof untilSettled === 'number' ? untilSettled : Math.max(60, 3 * rounds);

/** People write example.org; a page of today is https. */
function withScheme(url: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
}

function listOf<T extends string>(allowed: readonly T[]) {
  return (value: string): T[] =>
    value.split(',').map((item) => {
      const found = allowed.find((one) => one === item.trim());
      if (found === undefined) throw new InvalidArgumentError(`"${item}" is none of ${allowed.join(', ')}.`);
      return found;
    });
}

function repeated<T>(value: T, before: T[]): T[] {
  return [...before, value];
}

function milliseconds(value: string): number {
  if (value.trim() === '' || !(Number(value) >= 0 && Number(value) <= 10_000))
    throw new InvalidArgumentError('Milliseconds between 0 and 10000 are expected.');
  return Number(value);
}

function between(least: number, most: number) {
  return (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) < least || Number(value) > most)
      throw new InvalidArgumentError(`A whole number between ${least} and ${most} is expected.`);
    return Number(value);
  };
}

function roundsToCalibrate(value: string): number {
  const rounds = between(1, 10_000)(value);
  if (rounds < fewestCalibrationRounds)
    throw new InvalidArgumentError(`Fewer than ${fewestCalibrationRounds} rounds calibrate nothing, and 100 or more say something.`);
  return rounds;
}

function share(value: string): number {
  if (value.trim() === '' || !(Number(value) >= 0 && Number(value) <= 1))
    throw new InvalidArgumentError('A number between 0 and 1 is expected.');
  return Number(value);
}

function percentage(value: string): number {
  if (value.trim() === '' || !(Number(value) > 0 && Number(value) <= 100))
    throw new InvalidArgumentError('A percentage above 0 and up to 100 is expected.');
  return Number(value);
}

function seconds(value: string): number {
  if (!(Number(value) >= 0.1 && Number(value) <= 600)) throw new InvalidArgumentError('Seconds between 0.1 and 600 are expected.');
  return Number(value);
}

for (const command of program.commands) command.showHelpAfterError(`(see ./pronghorn ${command.name()} --help)`);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError || error instanceof LinkUnavailable) {
    console.error(`pronghorn: ${error.message}`);
    process.exitCode = 2;
  } else {
    console.error(`pronghorn: ${error instanceof Error ? error.message : error}`);
    if (process.env.PRONGHORN_DEBUG !== undefined) console.error(error);
    process.exitCode = 1;
  }
}
