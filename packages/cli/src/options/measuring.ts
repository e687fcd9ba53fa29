// Options that measuring commands share: link, conditions, visits, exports.
import type { EvidencePolicy, MetricName } from '@pronghorn/core/schemas';
import {
  adjustments,
  browsers,
  defaultCongestionControl,
  defaultLimits,
  discoveries,
  engines,
  evidencePolicies,
  harHeaders,
  isolations,
  type LinkChoice,
  linkChoices,
  type Precision,
  type Protocol,
  precisions,
  usualProtocols,
  type View,
  views,
} from '@pronghorn/core/vocabulary';
import { type ServerWish, serverWish } from '@pronghorn/origin/server';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dataOption } from './connection-options.ts';
import {
  commaSeparated,
  integerBetween,
  listOf,
  listOfProtocols,
  metricOf,
  millisecondsTo10000,
  percentTo100,
  repeatable,
  secondsTo600,
  shareTo1,
} from './values.ts';
import { type VisitorOptions, visitedBy, type WorkloadOptions, working } from './visit.ts';

/** Titles in the help of a command: its own options come first, what measures them and what is kept later. */
const groups = {
  own: 'Options:',
  networks: 'Networks:',
  visits: 'Visits:',
  output: 'What is kept and shown:',
  local: 'For folders and local servers:',
} as const;

/** For two conditions: seven rounds show a difference that all of them have; nine also where one or two rounds differ slightly the other way. */
export const briefRounds = 9;

export const protocolsOption = (usual: readonly Protocol[], more = '') =>
  new Option('--protocols <list>', `some of h1, h2, h3${more}`).argParser(listOfProtocols).default([...usual], usual.join(','));

export const portOption = (description: string) => new Option('--port <n>', description).argParser(integerBetween(1, 65_535));

export const noEvidenceOption = () => new Option('--no-evidence', 'do not store the raw evidence of each visit (about 50 KB)');

export const exporting = (command: Command) =>
  command
    .optionsGroup(groups.output)
    .option('--json <file>', 'write campaign, results and visits as JSON')
    .option('--csv <file>', 'write one line for each visit as CSV')
    .option('--har <folder>', 'write one HAR file for each visit')
    .addOption(new Option('--har-headers <which>', 'response headers in HAR files').choices(harHeaders).default('safe'))
    .optionsGroup(groups.own);

export interface Exports {
  json?: string;
  csv?: string;
  har?: string;
  harHeaders?: (typeof harHeaders)[number];
}

export const verboseOption = () => new Option('--verbose', 'also show each cell in full: percentiles, H3-Delta, measured link');

export const linking = (command: Command, congestionControl: string = defaultCongestionControl) =>
  command
    .optionsGroup(groups.networks)
    .addOption(
      new Option('--link <kind>', 'auto: a separate network namespace where possible; direct: the machine’s own network')
        .choices(linkChoices)
        .default('auto')
        .env('PRONGHORN_LINK'),
    )
    .addOption(repeatable('--allow-net <network>', 'network that visits may reach although it is not public'))
    .option(
      '--congestion-control <name>',
      'TCP congestion control of browser and demo origin: cubic, bbr, … (other servers use their own)',
      congestionControl,
    )
    .optionsGroup(groups.own);

export interface LinkingOptions {
  link: LinkChoice;
  allowNet: string[];
  congestionControl: string;
}

export interface LinkWishes {
  choice: LinkChoice;
  allowNet: readonly string[];
  congestionControl: string;
}

export const linkWishes = ({ link, allowNet, congestionControl }: LinkingOptions): LinkWishes => ({
  choice: link,
  allowNet,
  congestionControl,
});

/** Conditions from files, and the base round trip of lossy ones. */
export const customConditions = (command: Command) =>
  command
    .optionsGroup(groups.networks)
    .addOption(repeatable('--condition <file>', 'JSON file with one condition or a list'))
    .option('--base-rtt <ms>', 'base round trip under every lossy condition, instead of its own', millisecondsTo10000)
    .optionsGroup(groups.own);

export const conditioned = (command: Command) =>
  customConditions(
    command
      .optionsGroup(groups.networks)
      .option('--conditions <list>', 'names of conditions, or of sets such as typical; see ./pronghorn conditions', commaSeparated),
  );

export interface ConditionedOptions {
  conditions?: string[];
  condition: string[];
  baseRtt?: number;
}

export const originOption = () =>
  new Option('--origin <server>', 'server of the demo sites: nginx, caddy, or a version of one, such as caddy@2.11.9')
    .argParser(serverOf)
    .default({ name: 'nginx' } satisfies ServerWish, 'nginx');

function serverOf(value: string): ServerWish {
  try {
    return serverWish(value);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

export const sitesOption = () =>
  new Option('--sites <list>', 'some of the demo sites; web: pages as they are in production').argParser(commaSeparated);

export const visiting = (command: Command) =>
  visitedBy(command)
    .optionsGroup(groups.visits)
    .addOption(
      new Option(
        '--view <list>',
        'cold: nothing cached; warm: the repeat view (default: cold; for REST calls warm, with open connections; for scenarios both)',
      ).argParser(listOf(views)),
    )
    .addOption(new Option('--discovery <how>', 'how Chrome comes to HTTP/3').choices(discoveries).default('forced'))
    .addOption(
      new Option(
        '--isolation <what>',
        'what each cold visit gets anew; auto: a context, or a whole Chrome for pages with preconnect and the like',
      )
        .choices(isolations.filter((what) => what !== 'container'))
        .default('auto'),
    )
    .addOption(
      new Option(
        '--engine <name>',
        'what performs visits: Chrome with puppeteer or browsertime, Firefox, or the client of REST calls (transaction)',
      )
        .choices(engines)
        .default(undefined, 'puppeteer; with --browser firefox: firefox'),
    )
    .option('--no-video', 'browsertime only: no video, and so no SpeedIndex')
    .option('--browsertime-defaults', 'browsertime only: its own waits, 13 s a visit and more')
    .addOption(
      new Option(
        '--browser <name>',
        'which Chrome, or firefox; for REST calls none: Pronghorn’s own client (default: the first that the engine drives)',
      ).choices(browsers),
    )
    .option('--timeout <seconds>', 'time limit of a page load (default: by condition and page size, 60 to 600)', secondsTo600)
    .option(
      '--quiet <ms>',
      'how long network, scripts and picture must be quiet after load',
      integerBetween(0, 30_000),
      defaultLimits.quietMs,
    )
    .option('--settle <seconds>', 'maximum time from load to the end of a visit', secondsTo600, defaultLimits.settleMaxMs / 1_000)
    .option(
      '--busy <share>',
      'share of the CPU that other work may take, such as 0.2 or 20% (of five cores, where there are more)',
      shareTo1,
      defaultLimits.foreignCpuShare,
    )
    .option('--seed <n>', 'seed of every random order', integerBetween(0, 2 ** 31 - 1))
    .optionsGroup(groups.output)
    .addOption(
      new Option('--evidence <policy>', 'visits whose raw evidence is kept (about 50 KB each); see docs/operation.md')
        .choices(evidencePolicies)
        .default('always'),
    )
    .option('--no-evidence', 'the same as --evidence never')
    .addOption(verboseOption())
    .addOption(dataOption())
    .optionsGroup(groups.own);

export interface VisitingOptions extends Exports, LinkingOptions, ConditionedOptions, VisitorOptions {
  protocols: Protocol[];
  rounds?: number;
  view?: View[];
  discovery: (typeof discoveries)[number];
  isolation: (typeof isolations)[number];
  engine?: (typeof engines)[number];
  video: boolean;
  browsertimeDefaults?: true;
  browser?: (typeof browsers)[number];
  timeout?: number;
  quiet: number;
  settle: number;
  busy: number;
  seed?: number;
  evidence: EvidencePolicy | false;
  verbose?: true;
  data?: string;
}

export const measuring = (
  command: Command,
  {
    rounds,
    roundsWords = '10 to 20, by the number of comparisons',
    protocols: usual = usualProtocols,
    congestionControl,
  }: { rounds?: number; roundsWords?: string; protocols?: readonly Protocol[]; congestionControl?: string } = {},
) =>
  working(
    exporting(
      visiting(
        linking(
          conditioned(
            command
              .addOption(protocolsOption(usual, '; a protocol named twice is compared with itself'))
              .option(
                '--rounds <n>',
                `rounds; in each, every protocol loads each site once, in random order${rounds === undefined ? ` (default: ${roundsWords})` : ''}`,
                integerBetween(1, 10_000),
                rounds,
              )
              .addOption(
                new Option('--precision <name>', 'quick: 10 rounds; normal: 20; precise: 40; until-clear: until settled, at most 60')
                  .choices(precisions)
                  .conflicts(['rounds', 'untilSettled']),
              )
              .addOption(
                new Option('--until-settled [rounds]', 'add rounds, up to this total, until h3 against h2 is settled').argParser(
                  integerBetween(1, 10_000),
                ),
              )
              .option(
                '--metric <name>',
                'metric of the verdict, fixed before the campaign, such as LCP or speedIndex (default: onLoad; for REST calls responseTime)',
                metricOf,
              )
              .option('--margin <percent>', 'difference between protocols that counts as equivalent', percentTo100, 5)
              .addOption(
                new Option(
                  '--adjust <how>',
                  'correction for the number of comparisons (default: hommel; benjamini-hochberg from 100 sites × conditions × views on)',
                ).choices(adjustments),
              )
              .option(
                '--prime',
                'load each page once before each round, without counting it: servers’ caches are then as warm for the first visit as for the others',
              )
              .option('--netlogs', 'load each page once more over each protocol to record Chrome’s network log; these visits never count'),
          ),
          congestionControl,
        ),
      ),
    ),
  );

export interface MeasuringOptions extends VisitingOptions, WorkloadOptions {
  precision?: Precision;
  untilSettled?: number | true;
  metric?: MetricName;
  margin: number;
  adjust?: (typeof adjustments)[number];
  netlogs?: true;
  prime?: true;
}

export const localOptions = (command: Command) =>
  command
    .optionsGroup(groups.local)
    .option('--root <folder>', 'folder that is served as / (default: the topmost one named)')
    .option('--fallback <page>', 'page of the folder that answers for missing paths, such as index.html')
    .option('--outside', 'let pages of folders and local servers load from other hosts', false)
    .option('--front', 'put nginx with HTTP/2 and HTTP/3 in front of servers on the loopback (default: unless --link is direct)')
    .option('--no-front', 'measure those servers directly')
    .optionsGroup(groups.own);

export interface LocalOptions {
  root?: string;
  fallback?: string;
  outside: boolean;
  front?: boolean;
}
