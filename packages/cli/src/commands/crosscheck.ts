// Holds engines against each other: the same pages, in rounds by turns.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Campaign,
  type CampaignRequest,
  type Condition,
  type Engine,
  engines,
  type Protocol,
  protocols,
  type Resource,
} from '@pronghorn/core';
import type { ServerWish } from '@pronghorn/origin';
import { type Command, Option } from 'commander';
import { resolveConditions } from '../conditions.ts';
import { crosscheckReport, type Witness } from '../crosscheck.ts';
import { crosscheckPage } from '../crosscheck-page.ts';
import { reasonOf, UsageError } from '../data.ts';
import { House, mustHaveEngine } from '../house.ts';
import { interruption } from '../interrupt.ts';
import {
  conditioned,
  conditionWishes,
  linking,
  measureOptions,
  originOption,
  sitesOption,
  type VisitingOptions,
  visiting,
  visitsOf,
} from '../options/measuring.ts';
import { between, listOf, withScheme } from '../options/values.ts';
import { checkReport } from '../study/write-report.ts';
import { counted, duration, ProgressLine, plainLines, wrap } from '../terminal.ts';
import { demoScene } from './demo.ts';
import { worldScene } from './measure.ts';

type CrosscheckOptions = VisitingOptions & { sites?: string[]; origin: ServerWish; engines: Engine[]; rounds: number; out?: string };

export function addCrosscheck(program: Command): void {
  visiting(linking(conditioned(program.command('crosscheck'))))
    .description('measure a page with several engines by turns: do they agree?')
    .argument('[url]', 'page to measure; default: the demo’s shop')
    .addOption(
      new Option('--engines <list>', 'two or more; each is held against the first')
        .argParser(listOf(engines))
        .default([...engines], engines.join(',')),
    )
    .addOption(
      new Option('--protocols <list>', 'some of h1, h2, h3')
        .argParser(listOf(protocols))
        .default(['h2', 'h3'] satisfies Protocol[], 'h2,h3'),
    )
    .option('--rounds <n>', 'of each engine', between(1, 10_000), 20)
    .option('--out <file>', 'where the page with the pictures goes; default: into the data folder')
    .addOption(sitesOption())
    .addOption(originOption())
    .action(async (url: string | undefined, options: CrosscheckOptions, command: Command) => {
      const refused = ['engine', 'browser', 'isolation'].find((name) => command.getOptionValueSource(name) === 'cli');
      if (refused !== undefined)
        throw new UsageError(
          `crosscheck starts each engine of --engines with a browser of its own for each visit: leave --${refused} out.`,
        );
      if (url !== undefined && /^[./~]/.test(url))
        throw new UsageError(`crosscheck takes no folders, since not all engines do: serve ${url} under a host name, and name its URL.`);
      if (url !== undefined && options.sites !== undefined) throw new UsageError('Name a URL or --sites of the demo, not both.');
      if (new Set(options.engines).size < 2)
        throw new UsageError('There is nothing to hold one engine against: name two or three, such as --engines puppeteer,firefox.');
      process.exitCode = await crosscheck(url === undefined ? undefined : withScheme(url), options);
    });
}

/** @returns 0; 1 when nothing could be compared; 130 when it was interrupted */
async function crosscheck(url: string | undefined, options: CrosscheckOptions): Promise<number> {
  const { data, keepEvidence } = measureOptions(options);
  checkReport(options.out);
  for (const engine of options.engines) mustHaveEngine(engine, { video: options.video });
  const house = await House.open(data);
  const signal = interruption();
  try {
    await house.mustBeAlone();
    const { asked, complete } = await resolveConditions(house, conditionWishes(options, ['native']));
    const scene = await sceneOf(url, complete, options);
    try {
      const campaigns = await makeCampaigns(house, crosscheckRequests(scene.sites, asked, options));
      const started = performance.now();
      const visits = campaigns.reduce((sum, { progress, spec }) => sum + progress.rounds * spec.protocols.length, 0);
      const line = new ProgressLine('visits', visits, 0);
      let done = 0;
      line.update(0, 'opening the link');
      try {
        await claimingAll(house, campaigns, async () =>
          house.measure(
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
      } finally {
        line.end();
      }
      const witnesses = await Promise.all(campaigns.map((campaign) => witnessOf(house, campaign)));
      console.log(crosscheckReport(witnesses));
      const ids = campaigns.map(({ id, spec }) => `${id} (${spec.engine})`).join(', ');
      console.error(
        wrap(
          `\n${counted(done, 'visit')} in ${duration((performance.now() - started) / 1_000)}. Each engine's campaign is kept: ${ids}. At length: ./pronghorn results ID${data.flag}`,
        ),
      );
      const picture = crosscheckPage(witnesses);
      if (picture !== null) {
        const path = options.out ?? join(data.path, `crosscheck-${campaigns[0]?.id}.html`);
        try {
          writeFileSync(path, picture);
        } catch (error) {
          throw new UsageError(`The pictures can't be written to ${path} (${reasonOf(error)}); the campaigns are kept.`);
        }
        console.log(`\nThe pictures: ${path}`);
      }
      if (signal.aborted) return 130;
      return witnesses.every(({ visits: its }) => its.some(({ outcome }) => outcome.verdict === 'valid')) ? 0 : 1;
    } finally {
      await scene.close();
    }
  } finally {
    await house.close();
  }
}

async function sceneOf(url: string | undefined, complete: readonly Condition[], options: CrosscheckOptions) {
  const measuring = measureOptions(options);
  if (url !== undefined) return { ...worldScene(complete, measuring.link), sites: [{ url }], lab: undefined };
  const { sites, ...scene } = await demoScene(complete, measuring, { server: options.origin, port: undefined }, options.sites ?? ['shop']);
  return { ...scene, sites: sites.map(({ url: page, name }) => ({ url: page, name })) };
}

/** One for each engine, alike in all else and of one seed: so they have their rounds in one order. Options of an engine are for that engine alone. */
export function crosscheckRequests(
  sites: CampaignRequest['sites'],
  conditions: CampaignRequest['conditions'],
  options: Omit<CrosscheckOptions, 'sites' | 'origin' | 'out'>,
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

/** All or none. @throws UsageError that says what which engine can't do */
export async function makeCampaigns(house: House, requests: readonly CampaignRequest[]): Promise<Campaign[]> {
  for (const request of requests) {
    const faults = await house.faultsOf(request);
    if (faults.length > 0) throw new UsageError(`Nothing was measured: ${faults.join(' ')}`);
  }
  const campaigns: Campaign[] = [];
  for (const request of requests) campaigns.push(await house.createCampaign(request));
  return campaigns;
}

/** Marks each as being measured by this process. */
const claimingAll = (house: House, [first, ...others]: readonly Campaign[], work: () => Promise<void>): Promise<void> =>
  first === undefined ? work() : house.claiming(first.id, () => claimingAll(house, others, work));

async function witnessOf(house: House, { id, spec }: Campaign): Promise<Witness> {
  const visits = await Array.fromAsync(house.visits(id));
  const resources = new Map<string, Resource[]>();
  for (const visit of visits)
    if (visit.counted && visit.outcome.verdict === 'valid') resources.set(visit.id, await house.resources(visit.id));
  return { engine: spec.engine, campaign: await house.campaign(id), visits, resources, results: await house.results(id) };
}
