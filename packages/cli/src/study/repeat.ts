// Repeats a published study on a list of sites, as one campaign.
import { conditionNamed, isLossy, withBaseRtt } from '@pronghorn/core/network';
import type { Campaign, CampaignPreview, CampaignRequest, Condition } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { expandSets, requestedEngine } from '@pronghorn/core/vocabulary';
import { withService } from '../connection/local-service.ts';
import { type RemoteApi, remoteApi } from '../connection/remote-service.ts';
import { type AskingOptions, tokenOf } from '../connection/token.ts';
import { defaultFollowTimings, followCampaign, hasEnded } from '../gate/follow-campaign.ts';
import { targetOptions } from '../local/targets.ts';
import { measure, type Scene, sceneOf } from '../measure/measure.ts';
import { conditionWishes, measureOptions, visitsOf } from '../measure/request.ts';
import { printResults } from '../measure/results.ts';
import type { Exports, LocalOptions, VisitingOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { dataFolder, mustBeWritable } from '../program/files.ts';
import { interruption } from '../program/interrupt.ts';
import { ProgressLine, wrap } from '../program/terminal.ts';
import { hasContainers, reportPath, withReport, writeReport } from './report.ts';
import { longDuration, number } from './report-parts.ts';
import { readSiteList, refuseFaults } from './site-list.ts';
import { type StudyName, studies, studyNames, studyOf } from './studies.ts';

export type ReportOptions = AskingOptions & { api?: string; data?: string; study?: StudyName; out?: string };

export type StudyOptions = VisitingOptions &
  LocalOptions &
  AskingOptions & { api?: string; sites: string; limit?: number; estimate?: true; out?: string };

/** @returns the exit code: as `measure`; 0 for an estimate */
export async function repeatStudy(study: StudyName, options: StudyOptions, isolates: boolean): Promise<number> {
  if (options.api !== undefined) refuseForService(options);
  mustBeWritable('out', options.out);
  const listed = await readSiteList(options.sites, targetOptions(options), options.limit);
  const { hosts, sites } = listed.targets;
  if (options.api !== undefined && hosts.length > 0)
    throw new UsageError('Folders and local servers are on this machine, but a service measures public pages. Leave out --api.');
  const conditions = conditionsOf(study, options);
  const { name, primaryMetric } = studies[study];
  const basis: CampaignRequest = { name, ...visitsOf(options)(sites), conditions, primaryMetric };
  const { request, preview } = await withService(options, async (service) => {
    const api = remoteApi(service);
    // The article used a container for each visit; without a runner for that, this command uses a new Chrome for each.
    const chosen =
      study === 'kiwee' && !isolates ? { isolation: (await hasContainers(api)) ? ('container' as const) : ('process' as const) } : {};
    const request = { ...basis, ...chosen };
    return { request, preview: sites.length === 0 ? null : await api.ask('POST /campaigns/preview', { body: request }) };
  });
  refuseFaults(options.sites, listed, preview);
  if (preview !== null) printEstimate(preview, options.estimate ? console.log : console.error);
  if (options.estimate) return 0;
  if (options.api !== undefined) return await askService(study, options, request);
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { outside } = options;
    const scene = await sceneOf(complete, listed.targets, { ...measureOptions(options), outside, engine: requestedEngine(request) });
    return withReport({ request, print: printResults, ...scene }, measureOptions(options).data, options.out);
  };
  return await measure({ conditions: { list: conditions, baseRttMs: undefined }, setScene }, measureOptions(options));
}

/** @throws UsageError for exports, which only this machine's measurements can have */
export function refuseForService(options: Exports): void {
  for (const name of ['json', 'csv', 'har'] as const)
    if (options[name] !== undefined)
      throw new UsageError(
        `--${name} exports what this machine measures, but with --api a service measures. Leave out --${name}, and fetch the export from the service; see docs/exchange.md.`,
      );
}

/** The study's own, or those of the options: the study's names, other known names, or files. */
function conditionsOf(study: StudyName, options: StudyOptions): (string | Condition)[] {
  const own = new Map(studies[study].conditions.map(({ condition }) => [condition.name, condition]));
  const { list } = conditionWishes(options, [...own.keys()]);
  return expandSets(list).map(({ request: wish }) => {
    const known = typeof wish === 'string' ? (own.get(wish) ?? conditionNamed(wish)) : wish;
    if (known === undefined) return wish;
    const condition = options.baseRtt === undefined || !isLossy(known) ? known : withBaseRtt(known, options.baseRtt);
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
      ? 'The duration is unknown, since no round has been measured here. Measure one page first, such as with --limit 1 --rounds 1.'
      : `About ${longDuration(roundsMs / 1_000)} on one machine, ${longDuration(roundsMs / 10_000)} on ten. ${duration?.basis ?? ''}`;
  say(wrap(`${product}: ${number(visits)} visits in ${number(rounds)} rounds. ${time}`));
}

/** The service's runners measure; this process waits, and writes the report. */
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
  console.error(`Campaign ${id} continues at ${api.url}. Its report, at any time: ./pronghorn campaign report ${id} --api ${api.url}`);
  return 130;
}

/** @returns the campaign when it ended, or when the waiting was stopped */
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
    if (study === undefined) throw new UsageError(`Campaign ${id} repeats no study. Name one with --study ${studyNames.join(' or ')}.`);
    const out = options.out ?? reportPath(dataFolder(options.data), campaign.id, study);
    await writeReport(api, campaign.id, study, out);
    console.log(out);
    return 0;
  });
}
