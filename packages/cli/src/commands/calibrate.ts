// Calibrates: every protocol against itself, where any winner is a false one. How often is one named, and how small a difference is seen?
import { styleText } from 'node:util';
import type { Campaign, CampaignRequest, Condition } from '@pronghorn/core/schemas';
import { minCalibrationRounds, type Protocol, protocols } from '@pronghorn/core/vocabulary';
import type { ServerWish } from '@pronghorn/origin';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { calibrationReport } from '../calibration-report.ts';
import { calibrations } from '../calibrations.ts';
import type { ConditionWishes } from '../conditions.ts';
import { UsageError } from '../data.ts';
import type { House } from '../house.ts';
import {
  conditioned,
  conditionWishes,
  exporting,
  linking,
  measureOptions,
  originOption,
  type RequestOf,
  sitesOption,
  type VisitingOptions,
  visiting,
  visitsOf,
} from '../options/measuring.ts';
import { between, listOf, withScheme } from '../options/values.ts';
import { conditionLines, dropLines, environmentWords, invalidLines } from '../report-details.ts';
import { wrap } from '../terminal.ts';
import { demoScene } from './demo.ts';
import { measure, type Scene, worldScene } from './measure.ts';
import type { MeasureOptions } from './perform.ts';

export function addCalibrate(program: Command): void {
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
    .addOption(sitesOption())
    .addOption(originOption())
    .action(async (url: string | undefined, options: VisitingOptions & { sites?: string[]; origin: ServerWish }) => {
      if (url !== undefined && options.sites !== undefined) throw new UsageError('Name a URL or --sites of the demo, not both.');
      const pages = url === undefined ? { names: options.sites ?? ['shop'], server: options.origin } : { url: withScheme(url) };
      process.exitCode = await calibrate(
        pages,
        visitsOf({ ...options, protocols: doubled(options.protocols) }),
        conditionWishes(options, ['native']),
        measureOptions(options),
      );
    });
}

function roundsToCalibrate(value: string): number {
  const rounds = between(1, 10_000)(value);
  if (rounds < minCalibrationRounds)
    throw new InvalidArgumentError(`Fewer than ${minCalibrationRounds} rounds calibrate nothing, and 100 or more say something.`);
  return rounds;
}

/** A page of the world, or some of the demo's. */
type CalibratedPages = { url: string } | { names: readonly string[]; server: ServerWish };

/** Each protocol twice: the slots of a round that should be alike. */
const doubled = (protocols: readonly Protocol[]): Protocol[] =>
  [...new Set(protocols)].flatMap((protocol) => [protocol, protocol] satisfies Protocol[]);

/** @returns 0 when something was calibrated, with cautions too; 1 when there were too few valid rounds; 130 when it was interrupted */
async function calibrate(pages: CalibratedPages, asked: RequestOf, conditions: ConditionWishes, options: MeasureOptions): Promise<number> {
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    if ('url' in pages)
      return { ...worldScene(complete, options.link), request: named(asked([{ url: pages.url }])), tell: tellCalibration };
    const { sites, ...scene } = await demoScene(complete, options, { server: pages.server, port: undefined }, pages.names);
    return { ...scene, request: named(asked(sites.map(({ url, name }) => ({ url, name })))), tell: tellCalibration };
  };
  return await measure({ conditions, setScene }, options);
}

const named = (request: CampaignRequest): CampaignRequest => ({ name: 'Calibration', ...request });

/** Prints what an A/A campaign says of itself. @returns 0, or 1 when there were too few rounds to say anything */
async function tellCalibration(house: House, campaign: Campaign): Promise<number> {
  const [visits, results, environment] = await Promise.all([
    Array.fromAsync(house.visits(campaign.id)),
    house.results(campaign.id),
    house.anyEnvironment(campaign.id),
  ]);
  const found = calibrations(campaign, visits);
  const text = calibrationReport(campaign, found, ({ siteId, condition, view }) => {
    const group = results.groups.find((one) => one.siteId === siteId && one.condition === condition && one.view === view);
    const slots = group?.slots ?? [];
    return {
      above: conditionLines(results.conditions.find((one) => one.condition === condition)),
      below: [...dropLines(slots), ...invalidLines(slots)],
    };
  });
  console.log(text);
  if (environment !== undefined) console.log(styleText('dim', wrap(`\n${environmentWords(environment)}`)));
  return found.some(({ calibration }) => calibration !== null) ? 0 : 1;
}
