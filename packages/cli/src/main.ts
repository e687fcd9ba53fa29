// The `pronghorn` command.
import { hostname } from 'node:os';
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
  type Role,
  roles,
  type View,
  views,
} from '@pronghorn/core';
import { type ServerName, serverNames } from '@pronghorn/origin';
import { defaultCongestionControl, type LinkChoice, LinkUnavailable, linkChoices } from '@pronghorn/runner';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { backup } from './commands/backup.ts';
import { calibrate, doubled } from './commands/calibrate.ts';
import { listConditions } from './commands/conditions.ts';
import { type ConfiguredOptions, configOf, configured } from './commands/configured.ts';
import { demo } from './commands/demo.ts';
import { doctor } from './commands/doctor.ts';
import { gate } from './commands/gate.ts';
import { groundTruth } from './commands/ground-truth.ts';
import { addImportCommands } from './commands/import.ts';
import { linkCheck } from './commands/link-check.ts';
import { measure, resume, showResults, worldScene } from './commands/measure.ts';
import { retention } from './commands/retention.ts';
import { type RunnerCommandOptions, runner } from './commands/runner.ts';
import { addScheduleCommands } from './commands/schedule.ts';
import { serve } from './commands/serve.ts';
import { type Step, stepNames, test } from './commands/test.ts';
import { createToken, expiryFrom, listTokens, revokeToken } from './commands/token.ts';
import { type ConditionWishes, conditionsOfFile } from './conditions.ts';
import { dataFolder, UsageError } from './data.ts';
import type { Exports } from './exports.ts';
import { type ExitCodes, exitCodesFrom } from './gate/exit-codes.ts';
import { gateFileSchema } from './gate/gate-schema.ts';
import { type GateFormat, gateFormats } from './gate/outputs.ts';
import { pipelineAnnotations } from './gate/pipeline.ts';

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

linking(program.command('gate'))
  .description('for pipelines: measure, and say by the exit code whether what pronghorn.json asserts holds')
  .option('--config <file>', 'what is measured and what must hold; see docs/gates.md', 'pronghorn.json')
  .addOption(
    new Option('--url <url>', 'page to measure, in place of the URL of a site of the file (repeatable)')
      .argParser(repeated<string>)
      .default([], 'none'),
  )
  .option('--campaign <id>', 'judge this one instead of measuring')
  .option('--rounds <n>', 'in place of the file’s', between(1, 10_000))
  .option('--baseline <branch>', 'whose campaigns came before (default: main)')
  .addOption(new Option('--api <url>', 'a service whose runners measure; default: this machine does').env('PRONGHORN_API'))
  .addOption(new Option('--token <token>', 'for it').env('PRONGHORN_TOKEN'))
  .option('--wait <minutes>', 'for a service’s campaign', minutes, 60)
  .option('--commit <hash>', 'that is measured (default: by the pipeline’s environment)')
  .option('--branch <name>', 'of it (default: as --commit)')
  .option('--build-url <url>', 'where the pipeline is looked at (default: as --commit)')
  .addOption(new Option('--format <form>', 'what standard output gets').choices(gateFormats).default('text'))
  .option('--json <file>', 'write the answer as JSON')
  .option('--junit <file>', 'write it as JUnit XML')
  .option('--markdown <file>', 'write it as Markdown')
  .option('--summary', 'append it to GitHub’s job summary, where there is one', false)
  .addOption(
    new Option('--exit-on <codes>', 'such as inconclusive=0,fail=10; of pass, fail, inconclusive, error')
      .argParser(exitCodesFrom)
      .default({}, 'pass=0,fail=1,inconclusive=3,error=4'),
  )
  .option('--sites <list>', 'some of the demo sites', (value) => value.split(','))
  .addOption(new Option('--origin <server>', 'what serves the demo sites').choices(serverNames).default('nginx'))
  .option('--port <n>', 'port of the demo’s server', between(1, 65_535))
  .option('--busy <share>', 'in place of the file’s limits.foreignCpuShare: what other work may take of the CPU, 0 to 1', share)
  .option('--no-evidence', 'do not store the raw evidence of each visit')
  .option('--schema', 'print the JSON Schema of the file, and end', false)
  .addOption(dataOption())
  .action(async (options: GateOptions) => {
    if (options.schema) {
      process.stdout.write(gateFileSchema());
      return;
    }
    const { commit, branch, buildUrl, sites, port } = options;
    if (sites !== undefined && options.url.length > 0) throw new UsageError('Name --url or --sites of the demo, not both.');
    process.exitCode = await gate(
      {
        ...{
          config: options.config,
          urls: options.url.map(withScheme),
          rounds: options.rounds,
          busy: options.busy,
          branch: options.baseline,
        },
        demo: sites === undefined ? null : { names: sites, server: options.origin, port },
        annotations: {
          ...pipelineAnnotations(process.env),
          ...(commit === undefined ? {} : { commit }),
          ...(branch === undefined ? {} : { branch }),
          ...(buildUrl === undefined ? {} : { buildUrl }),
        },
        exitCodes: options.exitOn,
        outputs: options,
        campaign: options.campaign,
        remote: options.api === undefined ? null : { url: options.api, token: options.token ?? null, waitSeconds: options.wait * 60 },
      },
      { ...measureOptions(options), exports: {} },
    );
  });

interface GateOptions extends LinkingOptions {
  config: string;
  url: string[];
  campaign?: string;
  rounds?: number;
  baseline?: string;
  api?: string;
  token?: string;
  wait: number;
  commit?: string;
  branch?: string;
  buildUrl?: string;
  format: GateFormat;
  json?: string;
  junit?: string;
  markdown?: string;
  summary: boolean;
  exitOn: Partial<ExitCodes>;
  sites?: string[];
  origin: ServerName;
  port?: number;
  busy?: number;
  evidence: boolean;
  schema: boolean;
  data?: string;
}

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

configured(program.command('serve'))
  .description('the service: dashboard, REST API, schedules and, if wanted, a runner')
  .option('--host <address>', 'where to listen (default: 127.0.0.1)')
  .option('--port <n>', '0 for any that is free (default: 8080)', between(0, 65_535))
  .option('--runner', 'perform campaigns in this process too')
  .option('--open', 'without tokens: whoever reaches the service is admin; on loopback only')
  .option('--public-reading', 'everybody may read without a token')
  .option('--print-config', 'print every setting with its value and where that comes from, and end', false)
  .action(async (options: ServeOptions) => {
    const { config, printed } = configOf(options, {
      'listen.host': options.host,
      'listen.port': options.port,
      'runner.enabled': options.runner,
      'access.kind': options.open === true ? 'open' : undefined,
      'access.publicReading': options.publicReading,
    });
    if (options.printConfig) console.log(printed());
    else process.exitCode = await serve(config);
  });

interface ServeOptions extends ConfiguredOptions {
  host?: string;
  port?: number;
  runner?: true;
  open?: true;
  publicReading?: true;
  printConfig: boolean;
}

program
  .command('backup')
  .description('copy what was measured, also while the service runs')
  .argument('<target>', 'a folder, to be made; or a file whose name ends in .db')
  .option('--evidence', 'the raw evidence too, by hard links where possible', false)
  .option('--force', 'replace what is there', false)
  .addOption(dataOption())
  .action(async (target: string, options: { evidence: boolean; force: boolean; data?: string }) => {
    process.exitCode = await backup(dataFolder(options.data), target, options);
  });

configured(program.command('retention'))
  .description('remove what the service keeps no longer: old resources, evidence, log lines')
  .option('--dry-run', 'tell what would be removed, remove nothing', false)
  .action(async (options: ConfiguredOptions & { dryRun: boolean }) => {
    process.exitCode = await retention(configOf(options).config, options.dryRun);
  });

addImportCommands(program);
addScheduleCommands(program);

const token = program.command('token').description('who may ask the service: tokens, made on the data folder itself');
token
  .command('create')
  .description('make a token; it is printed this once')
  .requiredOption('--name <name>', 'who or what uses it; appears on campaigns and in the audit log')
  .addOption(new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory())
  .option('--expires <when>', '90d, 12h, or a time such as 2027-01-31; default: never')
  .addOption(dataOption())
  .action((options: { name: string; role: Role; expires?: string; data?: string }) => {
    const expiresAt = options.expires === undefined ? undefined : expiryFrom(options.expires, Date.now());
    process.exitCode = createToken(dataFolder(options.data), { name: options.name, role: options.role, expiresAt });
  });
token
  .command('list')
  .description('list tokens: who, which role, last use, until when')
  .addOption(dataOption())
  .action((options: { data?: string }) => {
    process.exitCode = listTokens(dataFolder(options.data));
  });
token
  .command('revoke')
  .description('end a token for good, at once')
  .argument('<token>', 'its id, or its name')
  .addOption(dataOption())
  .action((named: string, options: { data?: string }) => {
    process.exitCode = revokeToken(dataFolder(options.data), named);
  });

linking(program.command('runner'))
  .description('perform campaigns of a service, on this machine, until it is told to stop')
  .addOption(new Option('--api <url>', 'where the service is').env('PRONGHORN_API').makeOptionMandatory())
  .option('--token-file <file>', 'a file with a token of role runner (default: the variable PRONGHORN_TOKEN)')
  .option('--name <name>', 'names this runner; each has its own', hostname())
  .addOption(new Option('--location <name>', 'where it stands: campaigns can ask for a location').env('PRONGHORN_LOCATION'))
  .option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)')
  .action(async (options: LinkingOptions & Omit<RunnerCommandOptions, 'link'>) => {
    process.exitCode = await runner({ ...options, link: linkWishes(options) });
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

function minutes(value: string): number {
  if (!(Number(value) > 0 && Number(value) <= 10_000)) throw new InvalidArgumentError('Minutes above 0 and up to 10000 are expected.');
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
