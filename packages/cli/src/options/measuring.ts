// What commands that measure have in common: which link, which conditions, how pages are visited, what is asked, where it is written.
import { harHeaders } from '@pronghorn/core/campaign';
import { type CampaignRequest, defaultLimits, type EvidencePolicy, evidencePolicies, type MetricName } from '@pronghorn/core/schemas';
import {
  adjustments,
  browsers,
  discoveries,
  engines,
  isolations,
  metricNames,
  type Protocol,
  protocols,
  type View,
  views,
} from '@pronghorn/core/vocabulary';
import { type ServerWish, serverWish } from '@pronghorn/origin';
import { defaultCongestionControl, type LinkChoice, linkChoices } from '@pronghorn/runner';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LinkWishes, MeasureOptions } from '../commands/perform.ts';
import { type ConditionWishes, conditionsOfFile } from '../conditions.ts';
import { dataFolder } from '../data.ts';
import type { Exports } from '../exports.ts';
import { dataOption } from './place.ts';
import { between, listOf, milliseconds, percentage, repeated, seconds, share, words } from './values.ts';
import { checkVariables, type VisitorOptions, visitedBy, visitorOfOptions, visitorWarnings } from './visitor.ts';
import { type WorkloadOptions, working, workloadOfOptions } from './workload.ts';

export const exporting = (command: Command) =>
  command
    .option('--json <file>', 'write campaign, results and visits as JSON')
    .option('--csv <file>', 'write one line for each visit as CSV')
    .option('--har <folder>', 'write one HAR file for each visit')
    .addOption(new Option('--har-headers <which>', 'of responses, in HAR files').choices(harHeaders).default('safe'));

export const verboseOption = () => new Option('--verbose', 'also each place at length: percentiles, H3-Delta, what the link did');

/** Which link, and what of it is the operator's choice. */
export const linking = (command: Command, congestionControl: string = defaultCongestionControl) =>
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
    .option(
      '--congestion-control <name>',
      'of TCP at the ends of the link, browser and demo origin: cubic, bbr, … (servers elsewhere use their own)',
      congestionControl,
    );

export interface LinkingOptions {
  link: LinkChoice;
  allowNet: string[];
  congestionControl: string;
}

export const linkWishes = ({ link, allowNet, congestionControl }: LinkingOptions): LinkWishes => ({
  choice: link,
  allowNet,
  congestionControl,
});

/** Conditions of a file, and the path under lossy ones. */
export const customConditions = (command: Command) =>
  command
    .addOption(
      new Option('--condition <file>', 'a JSON file with one condition or a list (repeatable)')
        .argParser(repeated<string>)
        .default([], 'none'),
    )
    .option('--base-rtt <ms>', 'of the path under every lossy condition, instead of its own', milliseconds);

/** Which conditions, by name and by file. */
export const conditioned = (command: Command) =>
  customConditions(command.option('--conditions <list>', 'names of conditions; see ./pronghorn conditions', words));

export interface ConditionedOptions {
  conditions?: string[];
  condition: string[];
  baseRtt?: number;
}

/** @param usual where neither names nor files are given */
export function conditionWishes({ conditions, condition, baseRtt }: ConditionedOptions, usual: readonly string[]): ConditionWishes {
  const list = [...(conditions ?? []), ...condition.flatMap(conditionsOfFile)];
  return { list: list.length === 0 ? usual : list, baseRttMs: baseRtt };
}

export const originOption = () =>
  new Option('--origin <server>', 'what serves the demo sites: nginx, caddy, or a version of one, such as caddy@2.11.9')
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
  new Option('--sites <list>', 'some of the demo sites; web: pages as they are in production').argParser(words);

/** How pages are visited. */
export const visiting = (command: Command) =>
  visitedBy(command)
    .addOption(
      new Option(
        '--view <list>',
        'cold: nothing kept; warm: the repeat view (default: cold; of REST calls warm, with connections that are open; of scenarios both)',
      ).argParser(listOf(views)),
    )
    .addOption(new Option('--discovery <how>', 'how Chrome comes to HTTP/3').choices(discoveries).default('forced'))
    .addOption(
      new Option(
        '--isolation <what>',
        'what is fresh for each cold visit; auto: a context, or a whole Chrome for pages with preconnect and the like',
      )
        .choices(isolations.filter((what) => what !== 'container'))
        .default('auto'),
    )
    .addOption(
      new Option(
        '--engine <name>',
        'what performs visits: Chrome by puppeteer or browsertime, Firefox, or what sends REST calls (transaction)',
      )
        .choices(engines)
        .default(undefined, 'puppeteer; with --browser firefox: firefox'),
    )
    .option('--no-video', 'of the engine browsertime: no video, and so no SpeedIndex')
    .option('--browsertime-defaults', 'of the engine browsertime: its own waits, 13 s a visit and more')
    .addOption(
      new Option(
        '--browser <name>',
        'which Chrome, or firefox; of REST calls none: Pronghorn’s own client (default: the first that the engine drives)',
      ).choices(browsers),
    )
    .option('--timeout <seconds>', 'time limit of a page load; default: by condition and size of the page, 60 to 600', seconds)
    .option('--quiet <ms>', 'how long network, scripts and picture must be quiet after load', between(0, 30_000), defaultLimits.quietMs)
    .option('--settle <seconds>', 'longest time from load to the end of a visit', seconds, defaultLimits.settleMaxMs / 1_000)
    .option(
      '--busy <share>',
      'share of the CPU that other work may take, 0 to 1 (of five cores, where there are more)',
      share,
      defaultLimits.foreignCpuShare,
    )
    .option('--seed <n>', 'decides every random order', between(0, 2 ** 31 - 1))
    .addOption(
      new Option('--evidence <policy>', 'of which visits raw evidence is kept (about 50 KB each); see docs/operation.md')
        .choices(evidencePolicies)
        .default('always'),
    )
    .option('--no-evidence', 'of none, as --evidence never')
    .addOption(verboseOption())
    .addOption(dataOption());

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

/** What is measured, the same for `measure` and `demo`. */
export const measuring = (
  command: Command,
  {
    rounds,
    roundsWords = '10 to 20, depending on how much is compared',
    protocols: usual = protocols,
    congestionControl,
  }: { rounds?: number; roundsWords?: string; protocols?: readonly Protocol[]; congestionControl?: string } = {},
) =>
  working(
    visiting(
      linking(conditioned(exporting(command)), congestionControl)
        .addOption(
          new Option('--protocols <list>', 'some of h1, h2, h3; one named twice is compared with itself')
            .argParser(listOf(protocols))
            .default([...usual], usual.join(',')),
        )
        .option(
          '--rounds <n>',
          `in each, every protocol has one visit of each site, in random order${rounds === undefined ? ` (default: ${roundsWords})` : ''}`,
          between(1, 10_000),
          rounds,
        )
        .addOption(
          new Option('--until-settled [rounds]', 'add rounds, at most so many in all, until h3 against h2 is settled').argParser(
            between(1, 10_000),
          ),
        )
        .addOption(
          new Option('--metric <name>', 'of the verdict, fixed before the campaign (default: onLoad; of REST calls responseTime)').choices(
            metricNames,
          ),
        )
        .option('--margin <percent>', 'difference between protocols that counts as none', percentage, 5)
        .addOption(
          new Option(
            '--adjust <how>',
            'for the number of comparisons (default: hommel; benjamini-hochberg from 100 sites × conditions × views on)',
          ).choices(adjustments),
        )
        .option('--netlogs', 'load each page once more over each protocol to record Chrome’s network log; such visits never count'),
    ),
  );

export interface MeasuringOptions extends VisitingOptions, WorkloadOptions {
  untilSettled?: number | true;
  metric?: MetricName;
  margin: number;
  adjust?: (typeof adjustments)[number];
  netlogs?: true;
}

export function measureOptions(
  options: Exports & LinkingOptions & { evidence: EvidencePolicy | boolean; verbose?: true; data?: string },
): MeasureOptions {
  const { evidence, verbose = false } = options;
  return { data: dataFolder(options.data), exports: options, keepEvidence: evidence !== false, verbose, link: linkWishes(options) };
}

/** What is asked of sites that are known later. @throws UsageError on options that no visitor can have: before anything is started for them */
export type RequestOf = (sites: CampaignRequest['sites']) => CampaignRequest;

export function requestOf(options: MeasuringOptions): RequestOf {
  const visits = visitsOf(options);
  const workload = workloadOfOptions(options);
  return (sites) => ({
    ...visits(sites),
    ...(options.metric === undefined ? {} : { primaryMetric: options.metric }),
    ...(workload === undefined ? {} : { workload }),
    margin: options.margin / 100,
    ...(options.adjust === undefined ? {} : { adjustment: options.adjust }),
    ...(options.netlogs === undefined ? {} : { netlogs: true }),
    ...(options.untilSettled === undefined ? {} : { maximumRounds: maximumRounds(options) }),
  });
}

export function visitsOf(options: VisitingOptions): RequestOf {
  const visitor = visitorOfOptions(options);
  checkVariables(visitor);
  for (const warning of visitorWarnings(visitor, options.protocols)) console.error(`pronghorn: ${warning}`);
  return (sites) => ({
    sites,
    protocols: options.protocols,
    ...(options.rounds === undefined ? {} : { rounds: options.rounds }),
    ...(options.view === undefined ? {} : { views: options.view }),
    discovery: options.discovery,
    isolation: options.isolation,
    ...(options.engine === undefined ? {} : { engine: options.engine }),
    ...engineOptionsOf(options),
    ...(options.browser === undefined ? {} : { browser: options.browser }),
    limits: {
      quietMs: options.quiet,
      settleMaxMs: Math.round(options.settle * 1_000),
      foreignCpuShare: options.busy,
      ...(options.timeout === undefined ? {} : { loadTimeoutMs: Math.round(options.timeout * 1_000) }),
    },
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.evidence === 'always' ? {} : { evidence: options.evidence || 'never' }),
    ...(visitor === undefined ? {} : { visitor }),
  });
}

function engineOptionsOf({ video, browsertimeDefaults }: VisitingOptions): Pick<CampaignRequest, 'engineOptions'> {
  if (video && browsertimeDefaults === undefined) return {};
  return {
    engineOptions: { ...(video ? {} : { video }), ...(browsertimeDefaults === undefined ? {} : { waits: 'browsertime' as const }) },
  };
}

/** Where only the wish is told: as many as settle most differences of a tenth, and more than the first look has. */
const maximumRounds = ({ untilSettled, rounds = 0 }: MeasuringOptions): number =>
  typeof untilSettled === 'number' ? untilSettled : Math.max(60, 3 * rounds);
