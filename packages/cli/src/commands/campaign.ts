// Repeats a published study on a list of sites, as one campaign, and draws what came of it beside what was published.
import { conditionNamed, isLossy, withBaseRtt } from '@pronghorn/core/network';
import type { Campaign, CampaignPreview, CampaignRequest, Condition } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { dataFolder, UsageError } from '../data.ts';
import type { Exports } from '../exports.ts';
import { defaultPatience, followCampaign, hasEnded } from '../gate/follow-campaign.ts';
import { House } from '../house.ts';
import { interruption } from '../interrupt.ts';
import { type LocalOptions, localOptions, targetOptions } from '../options/local.ts';
import {
  conditioned,
  conditionWishes,
  exporting,
  linking,
  measureOptions,
  type VisitingOptions,
  visiting,
  visitsOf,
} from '../options/measuring.ts';
import { type AskingOptions, apiOption, asking, dataOption, tokenOf } from '../options/place.ts';
import { between, listOf } from '../options/values.ts';
import { type RemoteApi, remoteApi } from '../remote.ts';
import { hasContainers } from '../study/measured.ts';
import { longDuration, number } from '../study/report-parts.ts';
import { readSiteList, refuseFaults } from '../study/site-list.ts';
import { type StudyName, studies, studyNames, studyOf } from '../study/studies.ts';
import { apiOf, checkReport, reportPath, withReport, writeReport } from '../study/write-report.ts';
import { ProgressLine, wrap } from '../terminal.ts';
import { measure, type Scene, sceneOf } from './measure.ts';
import { tell } from './results.ts';

type StudyOptions = VisitingOptions &
  LocalOptions &
  AskingOptions & { api?: string; sites: string; limit?: number; estimate?: true; out?: string };

const descriptions: Record<StudyName, string> = {
  paper:
    'the campaign of Trevisan et al. 2021: h1, h2, h3 on its ten network configurations, five rounds, a report of its tables and figures',
  kiwee: 'Kiwee’s test of 2023: h1, h2, h3 near, far and on mobile networks, 50 rounds, a report with violins and its table',
};

export function addCampaign(program: Command): void {
  const campaign = program.command('campaign').description('repeat a published study on a list of sites, with a report beside its numbers');
  for (const study of studyNames) addStudy(campaign, study);
  placed(campaign.command('report'))
    .description('draw a campaign beside a study, as one HTML file that needs nothing else')
    .argument('<campaign>', 'its id; any campaign can be drawn')
    .addOption(new Option('--study <name>', 'default: the one that it repeats').choices(studyNames))
    .option('--out <file>', 'default: in the data folder')
    .action(async (id: string, options: AskingOptions & { api?: string; data?: string; study?: StudyName; out?: string }) => {
      process.exitCode = await report(id, options);
    });
}

const placed = (command: Command) =>
  asking(command.addOption(apiOption('a service; default: this machine’s data folder'))).addOption(dataOption());

function addStudy(campaign: Command, study: StudyName): void {
  const { rounds, protocols: usual } = studies[study];
  const command = localOptions(visiting(linking(conditioned(exporting(campaign.command(study))))));
  asking(command.addOption(apiOption('let the runners of a service measure; default: this machine')))
    .description(descriptions[study])
    .requiredOption('--sites <file>', 'text file with a site on each line, as `measure` takes them; # begins a comment')
    .option('--limit <n>', 'take the first so many sites of the list', between(1, 1_000))
    .addOption(
      new Option('--protocols <list>', 'some of h1, h2, h3')
        .argParser(listOf(protocols))
        .default([...usual] as Protocol[], usual.join(',')),
    )
    .option('--rounds <n>', 'visits over each protocol, of each site under each condition', between(1, 10_000), rounds)
    .option('--estimate', 'only say how many visits that is, and how long they take at the pace of earlier rounds')
    .option('--out <file>', 'where the report goes; default: into the data folder')
    .action(async (options: StudyOptions) => {
      const isolates = command.getOptionValueSource('isolation') !== 'default';
      process.exitCode = await runStudy(study, options, isolates);
    });
}

/** @returns the exit code: as of `measure`; 0 of an estimate */
async function runStudy(study: StudyName, options: StudyOptions, isolates: boolean): Promise<number> {
  if (options.api !== undefined) refuseForService(options);
  checkReport(options.out);
  const listed = await readSiteList(options.sites, targetOptions(options), options.limit);
  const { hosts, sites } = listed.targets;
  if (options.api !== undefined && hosts.length > 0)
    throw new UsageError('Folders and local servers are on this machine alone: a service measures pages of the world. Leave --api out.');
  const conditions = conditionsOf(study, options);
  const { name, primaryMetric } = studies[study];
  const asked: CampaignRequest = { name, ...visitsOf(options)(sites), conditions, primaryMetric };
  const { request, preview } = await withApi(options, async (api) => {
    // The article had a container for each visit; a Chrome of its own for each is what this command can do by itself.
    const chosen =
      study === 'kiwee' && !isolates ? { isolation: (await hasContainers(api)) ? ('container' as const) : ('process' as const) } : {};
    const request = { ...asked, ...chosen };
    return { request, preview: sites.length === 0 ? null : await api.post<CampaignPreview>('/campaigns/preview', request) };
  });
  refuseFaults(options.sites, listed, preview);
  if (preview !== null) tellEstimate(preview, options.estimate ? console.log : console.error);
  if (options.estimate) return 0;
  if (options.api !== undefined) return await askService(study, options, request);
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const scene = await sceneOf(complete, listed.targets, { ...measureOptions(options), outside: options.outside });
    return withReport({ request, tell, ...scene }, measureOptions(options).data, options.out);
  };
  return await measure({ conditions: { list: conditions, baseRttMs: undefined }, setScene }, measureOptions(options));
}

/** @throws UsageError for files that only what is measured here is written into */
export function refuseForService(options: Exports): void {
  for (const name of ['json', 'csv', 'har'] as const)
    if (options[name] !== undefined)
      throw new UsageError(
        `--${name} is of what this machine measures, and --api lets a service measure. Leave --${name} out, and fetch the export from the service; see docs/exchange.md.`,
      );
}

/** Asks a service, or the api of this machine's data folder. */
async function withApi<T>(options: AskingOptions & { api?: string; data?: string }, ask: (api: RemoteApi) => Promise<T>): Promise<T> {
  if (options.api !== undefined) return await ask(remoteApi({ url: options.api, token: tokenOf(options) }));
  const house = await House.open(dataFolder(options.data));
  try {
    return await ask(apiOf(house));
  } finally {
    await house.close();
  }
}

/** The study's own, or those of the options: by the study's names, by any that is known, or of files. */
function conditionsOf(study: StudyName, options: StudyOptions): (string | Condition)[] {
  const own = new Map(studies[study].conditions.map(({ condition }) => [condition.name, condition]));
  const { list } = conditionWishes(options, [...own.keys()]);
  return list.map((wish) => {
    const found = typeof wish === 'string' ? (own.get(wish) ?? conditionNamed(wish)) : wish;
    if (found === undefined) return wish;
    const condition = options.baseRtt === undefined || !isLossy(found) ? found : withBaseRtt(found, options.baseRtt);
    return conditionNamed(condition.name) === undefined ? condition : condition.name;
  });
}

/** How much it is, and how long that takes. */
function tellEstimate({ spec, visits, rounds, duration }: CampaignPreview, say: (words: string) => void): void {
  if (spec === null || visits === null || rounds === null) return;
  const product = [
    counted(spec.sites.length, 'site'),
    counted(spec.conditions.length, 'condition'),
    counted(spec.protocols.length, 'protocol'),
    counted(spec.rounds, 'round'),
  ].join(' × ');
  const roundsMs = duration?.roundsMs ?? null;
  const time =
    roundsMs === null
      ? 'How long that takes nobody knows: no round was measured here yet. Measure one page first, such as with --limit 1 --rounds 1.'
      : `About ${longDuration(roundsMs / 1_000)} on one machine, ${longDuration(roundsMs / 10_000)} on ten. ${duration?.basis ?? ''}`;
  say(wrap(`${product}: ${number(visits)} visits in ${number(rounds)} rounds. ${time}`));
}

/** Its runners measure: this process waits, and writes the report. */
async function askService(study: StudyName, options: StudyOptions, request: CampaignRequest): Promise<number> {
  const api = remoteApi({ url: options.api as string, token: tokenOf(options) });
  const { id } = await api.post<Campaign>('/campaigns', request);
  const campaign = await follow(api, id);
  const isMeasured = campaign.progress.visitsValid > 0;
  if (isMeasured) {
    const out = options.out ?? reportPath(dataFolder(options.data), id, study);
    await writeReport(api, id, study, out);
    console.log(`The report beside the study: ${out}`);
  }
  if (hasEnded(campaign)) return isMeasured ? 0 : 1;
  console.error(`Campaign ${id} goes on at ${api.url}. Its report, at any time: ./pronghorn campaign report ${id} --api ${api.url}`);
  return 130;
}

/** @returns how it stands when it ended, or when somebody stopped the waiting */
async function follow(api: RemoteApi, id: string): Promise<Campaign> {
  const signal = interruption();
  let line: ProgressLine | undefined;
  const tellWords = (words: string) => (line === undefined ? console.error(words) : line.say(words));
  for await (const news of followCampaign(api, id, { lastEventId: undefined, signal, tell: tellWords, patience: defaultPatience })) {
    if (!('campaign' in news)) continue;
    const { rounds, roundsDone } = news.campaign.progress;
    line ??= new ProgressLine('rounds', rounds, roundsDone);
    line.update(roundsDone, news.campaign.state);
  }
  line?.end();
  return await api.get<Campaign>(`/campaigns/${encodeURIComponent(id)}`);
}

async function report(
  id: string,
  options: AskingOptions & { api?: string; data?: string; study?: StudyName; out?: string },
): Promise<number> {
  checkReport(options.out);
  return await withApi(options, async (api) => {
    const campaign = await api.get<Campaign>(`/campaigns/${encodeURIComponent(id)}`);
    const study = options.study ?? studyOf(campaign);
    if (study === undefined) throw new UsageError(`Campaign ${id} repeats no study: name one with --study ${studyNames.join(' or ')}.`);
    const out = options.out ?? reportPath(dataFolder(options.data), campaign.id, study);
    await writeReport(api, campaign.id, study, out);
    console.log(out);
    return 0;
  });
}
