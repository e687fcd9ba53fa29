// Repeats a published study on a list of sites, as one campaign.
import { conditionNamed, isLossy, withBaseRtt } from '@pronghorn/core/network';
import type { Campaign, CampaignPreview, CampaignRequest, Condition } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { dataFolder, mustBeWritable } from '../program/files.ts';
import { defaultFollowTimings, followCampaign, hasEnded } from '../gate/follow-campaign.ts';
import { withService } from '../connection/local-service.ts';
import { interruption } from '../program/interrupt.ts';
import { measure, type Scene, sceneOf } from '../measure/measure.ts';
import { conditionWishes, measureOptions, visitsOf } from '../measure/request.ts';
import { printResults } from '../measure/results.ts';
import type { Exports, LocalOptions, VisitingOptions } from '../options/measuring.ts';
import { type RemoteApi, remoteApi } from '../connection/remote-service.ts';
import { ProgressLine, wrap } from '../program/terminal.ts';
import { hasContainers, reportPath, withReport, writeReport } from './report.ts';
import { longDuration, number } from './report-parts.ts';
import { readSiteList, refuseFaults } from './site-list.ts';
import { type StudyName, studies, studyNames, studyOf } from './studies.ts';
import { UsageError } from '../program/errors.ts';
import { targetOptions } from '../local/targets.ts';
import { type AskingOptions, tokenOf } from '../connection/token.ts';

export type ReportOptions = AskingOptions & { api?: string; data?: string; study?: StudyName; out?: string };

export type StudyOptions = VisitingOptions &
  LocalOptions &
  AskingOptions & { api?: string; sites: string; limit?: number; estimate?: true; out?: string };

/** @returns the exit code: as of `measure`; 0 of an estimate */
export async function repeatStudy(study: StudyName, options: StudyOptions, isolates: boolean): Promise<number> {
  if (options.api !== undefined) refuseForService(options);
  mustBeWritable('out', options.out);
  const listed = await readSiteList(options.sites, targetOptions(options), options.limit);
  const { hosts, sites } = listed.targets;
  if (options.api !== undefined && hosts.length > 0)
    throw new UsageError('Folders and local servers are on this machine alone: a service measures pages of the world. Leave --api out.');
  const conditions = conditionsOf(study, options);
  const { name, primaryMetric } = studies[study];
  const asked: CampaignRequest = { name, ...visitsOf(options)(sites), conditions, primaryMetric };
  const { request, preview } = await withService(options, async (service) => {
    const api = remoteApi(service);
    // The article had a container for each visit; a Chrome of its own for each is what this command can do by itself.
    const chosen =
      study === 'kiwee' && !isolates ? { isolation: (await hasContainers(api)) ? ('container' as const) : ('process' as const) } : {};
    const request = { ...asked, ...chosen };
    return { request, preview: sites.length === 0 ? null : await api.ask('POST /campaigns/preview', { body: request }) };
  });
  refuseFaults(options.sites, listed, preview);
  if (preview !== null) printEstimate(preview, options.estimate ? console.log : console.error);
  if (options.estimate) return 0;
  if (options.api !== undefined) return await askService(study, options, request);
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const scene = await sceneOf(complete, listed.targets, { ...measureOptions(options), outside: options.outside });
    return withReport({ request, print: printResults, ...scene }, measureOptions(options).data, options.out);
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

function printEstimate({ spec, visits, rounds, duration }: CampaignPreview, say: (words: string) => void): void {
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
      ? 'The duration is unknown: no round was measured here yet. Measure one page first, such as with --limit 1 --rounds 1.'
      : `About ${longDuration(roundsMs / 1_000)} on one machine, ${longDuration(roundsMs / 10_000)} on ten. ${duration?.basis ?? ''}`;
  say(wrap(`${product}: ${number(visits)} visits in ${number(rounds)} rounds. ${time}`));
}

/** Its runners measure: this process waits, and writes the report. */
async function askService(study: StudyName, options: StudyOptions, request: CampaignRequest): Promise<number> {
  const api = remoteApi({ url: options.api as string, token: tokenOf(options) });
  const { id } = await api.ask('POST /campaigns', { body: request });
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
  const report = (words: string) => (line === undefined ? console.error(words) : line.say(words));
  for await (const news of followCampaign(api, id, { lastEventId: undefined, signal, report, timings: defaultFollowTimings })) {
    if (!('campaign' in news)) continue;
    const { rounds, roundsDone } = news.campaign.progress;
    line ??= new ProgressLine('rounds', rounds, roundsDone);
    line.update(roundsDone, news.campaign.state);
  }
  line?.end();
  return await api.ask('GET /campaigns/{id}', { id });
}

export async function drawReport(id: string, options: ReportOptions): Promise<number> {
  mustBeWritable('out', options.out);
  return await withService(options, async (service) => {
    const api = remoteApi(service);
    const campaign = await api.ask('GET /campaigns/{id}', { id });
    const study = options.study ?? studyOf(campaign);
    if (study === undefined) throw new UsageError(`Campaign ${id} repeats no study: name one with --study ${studyNames.join(' or ')}.`);
    const out = options.out ?? reportPath(dataFolder(options.data), campaign.id, study);
    await writeReport(api, campaign.id, study, out);
    console.log(out);
    return 0;
  });
}
