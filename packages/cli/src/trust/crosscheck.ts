// Compares engines on the same pages, which they load in turn in each round.

import { join } from 'node:path';
import type { Campaign, CampaignRequest, Resource } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { Engine } from '@pronghorn/core/vocabulary';
import type { ServerWish } from '@pronghorn/origin';
import { LocalService, mustHaveEngine } from '../connection/local-service.ts';
import { type Scene, sceneAsBefore, worldOrDemo } from '../measure/measure.ts';
import { conditionWishes, measureOptions, resolveConditions, visitsOf } from '../measure/request.ts';
import type { VisitingOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, mustBeWritable, writeText } from '../program/files.ts';
import { interruption } from '../program/interrupt.ts';
import { duration, ProgressLine, plainLines, wrap } from '../program/terminal.ts';
import { crosscheckPage, crosscheckReport } from './agreement-report.ts';
import type { Witness } from './engine-agreement.ts';

export type CrosscheckOptions = VisitingOptions & {
  sites?: string[];
  origin: ServerWish;
  engines: Engine[];
  rounds: number;
  resume?: string[];
  out?: string;
};

/**
 * @param refused a given option that a crosscheck sets itself
 * @returns 0; 1 when nothing could be compared; 130 when it was interrupted
 */
export async function crosscheck(named: readonly string[], options: CrosscheckOptions, refused: string | undefined): Promise<number> {
  if (refused !== undefined)
    throw new UsageError(`crosscheck starts each engine of --engines with a new browser for each visit: leave out --${refused}.`);
  const folder = named.find((url) => /^[./~]/.test(url));
  if (folder !== undefined)
    throw new UsageError(`crosscheck takes no folders, since not all engines do: serve ${folder} under a host name, and use its URL.`);
  const given = [named.length > 0, options.sites !== undefined, options.resume !== undefined].filter(Boolean);
  if (given.length > 1) throw new UsageError('Name only one of these: URLs, --sites of the demo, or campaigns to --resume.');
  if (new Set(options.engines).size < 2)
    throw new UsageError('One engine can’t be compared: name two or three, such as --engines puppeteer,firefox.');
  const { data, keepEvidence } = measureOptions(options);
  mustBeWritable('out', options.out);
  await using service = await LocalService.open(data);
  const signal = interruption();
  await service.mustBeAlone();
  const { campaigns, ...scene } = await (options.resume === undefined
    ? begin(service, named, options)
    : goOn(service, options.resume, options));
  try {
    const started = performance.now();
    const visitsOfRounds = (rounds: 'rounds' | 'roundsDone') =>
      campaigns.reduce((sum, { progress, spec }) => sum + progress[rounds] * spec.protocols.length, 0);
    const [visits, before] = [visitsOfRounds('rounds'), visitsOfRounds('roundsDone')];
    const line = new ProgressLine('visits', visits, before);
    let done = before;
    line.update(before, 'opening the link');
    try {
      await claimingAll(service, campaigns, async () =>
        service.measure(
          campaigns.map(({ id }) => id),
          {
            ...(scene.lab === undefined ? {} : { lab: scene.lab }),
            link: await scene.link(),
            keepEvidence,
            signal,
            events: {
              visited: (visit, { spec, site, round }) => {
                if (visit.retry === 0) done += 1;
                const what = visit.outcome.verdict === 'invalid' ? ` ${visit.outcome.reason}` : '';
                line.update(Math.min(done, visits), `${site.name} ${round.condition}, ${spec.engine} ${visit.protocol}${what}`);
              },
              warned: (text) => line.say(plainLines(text)),
            },
          },
        ),
      );
    } catch (error) {
      printResume(campaigns, data);
      throw error;
    } finally {
      line.end();
    }
    const witnesses = await Promise.all(campaigns.map((campaign) => witnessOf(service, campaign)));
    console.log(crosscheckReport(witnesses));
    const ids = campaigns.map(({ id, spec }) => `${id} (${spec.engine})`).join(', ');
    console.error(
      wrap(
        `\n${counted(done - before, 'visit')} in ${duration((performance.now() - started) / 1_000)}. Each engine's campaign is stored: ${ids}. In full: ./pronghorn results ID${data.flag}`,
      ),
    );
    const picture = crosscheckPage(witnesses);
    if (picture !== null) {
      const path = options.out ?? join(data.path, `crosscheck-${campaigns[0]?.id}.html`);
      writeText(path, picture, 'Nothing measured is lost.');
      console.log(`\nThe pictures: ${path}`);
    }
    if (signal.aborted) {
      printResume(campaigns, data);
      return 130;
    }
    return witnesses.every(({ visits: its }) => its.some(({ outcome }) => outcome.verdict === 'valid')) ? 0 : 1;
  } finally {
    await scene.close();
  }
}

const printResume = (campaigns: readonly Campaign[], { flag }: DataFolder) =>
  console.error(`\nStopped. Continue with: ./pronghorn crosscheck --resume ${campaigns.map(({ id }) => id).join(',')}${flag}`);

type Checked = Pick<Scene, 'lab' | 'link' | 'close'> & { campaigns: readonly Campaign[] };

async function begin(service: LocalService, urls: readonly string[], options: CrosscheckOptions): Promise<Checked> {
  for (const engine of options.engines) mustHaveEngine(engine, { video: options.video });
  const { requested, complete } = await resolveConditions(service, conditionWishes(options, ['native']));
  const { sites, ...scene } = await worldOrDemo(urls, complete, measureOptions(options), options);
  try {
    return { ...scene, campaigns: await makeCampaigns(service, crosscheckRequests(sites, requested, options)) };
  } catch (error) {
    await scene.close();
    throw error;
  }
}

/** The campaigns of a stopped crosscheck. @throws UsageError where they are not from one */
async function goOn(service: LocalService, ids: readonly string[], options: CrosscheckOptions): Promise<Checked> {
  const before: Campaign[] = [];
  for (const id of [...new Set(ids)]) before.push(await service.campaign(id));
  const [first] = before;
  const isOne = before.every(({ spec, sites }) => spec.seed === first?.spec.seed && sites.length === first.sites.length);
  if (first === undefined || !isOne || new Set(before.map(({ spec }) => spec.engine)).size !== before.length || before.length < 2)
    throw new UsageError(
      `Campaigns ${ids.join(', ')} are not from one crosscheck: name one of each engine, as the command printed when it stopped.`,
    );
  const campaigns: Campaign[] = [];
  for (const campaign of before)
    campaigns.push(campaign.state === 'done' ? campaign : await service.ask('POST /campaigns/{id}/resume', { id: campaign.id }));
  const { origin: _, ...scene } = await sceneAsBefore(first, await service.anyEnvironment(first.id), measureOptions(options));
  return { ...scene, campaigns };
}

/** One for each engine, otherwise alike and with one seed, so that their rounds have the same order. Options of an engine apply only to it. */
export function crosscheckRequests(
  sites: CampaignRequest['sites'],
  conditions: CampaignRequest['conditions'],
  options: Omit<CrosscheckOptions, 'sites' | 'origin' | 'resume' | 'out'>,
): CampaignRequest[] {
  const { seed = Math.floor(Math.random() * 2 ** 31) } = options;
  return [...new Set(options.engines)].map((engine) => {
    const { browser: _, engineOptions, ...request } = visitsOf({ ...options, engine, seed, isolation: 'process' })(sites);
    return {
      ...request,
      name: `Crosscheck, ${engine}`,
      ...(conditions === undefined ? {} : { conditions }),
      ...(engine === 'browsertime' && engineOptions !== undefined ? { engineOptions } : {}),
    };
  });
}

/** Creates all or none. @throws UsageError that says what an engine can't do */
export async function makeCampaigns(service: LocalService, requests: readonly CampaignRequest[]): Promise<Campaign[]> {
  for (const request of requests) {
    const { problems } = await service.ask('POST /campaigns/preview', { body: request });
    if (problems.length > 0) throw new UsageError(`Nothing was measured: ${problems.map(({ detail }) => detail).join(' ')}`);
  }
  const campaigns: Campaign[] = [];
  for (const request of requests) campaigns.push(await service.createCampaign(request));
  return campaigns;
}

/** Marks each as being measured by this process. */
const claimingAll = (service: LocalService, [first, ...others]: readonly Campaign[], work: () => Promise<void>): Promise<void> =>
  first === undefined ? work() : service.claiming(first.id, () => claimingAll(service, others, work));

async function witnessOf(service: LocalService, { id, spec }: Campaign): Promise<Witness> {
  const visits = await Array.fromAsync(service.visits(id));
  const resources = new Map<string, Resource[]>();
  for (const visit of visits)
    if (visit.counted && visit.outcome.verdict === 'valid') resources.set(visit.id, await service.resources(visit.id));
  return { engine: spec.engine, campaign: await service.campaign(id), visits, resources, results: await service.results(id) };
}
