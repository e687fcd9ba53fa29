// Calibrates: every protocol against itself, where any winner is a false one. How often is one named, and how small a difference is seen?
import { styleText } from 'node:util';
import type { Campaign, CampaignRequest, Condition, Protocol } from '@pronghorn/core';
import type { ServerName } from '@pronghorn/origin';
import { calibrationReport } from '../calibration-report.ts';
import { calibrations } from '../calibrations.ts';
import type { ConditionWishes } from '../conditions.ts';
import type { House } from '../house.ts';
import { conditionLines, dropLines, environmentWords, invalidLines } from '../report.ts';
import { wrap } from '../terminal.ts';
import { demoScene } from './demo.ts';
import { measure, type Scene, worldScene } from './measure.ts';
import type { MeasureOptions } from './perform.ts';

/** A page of the world, or some of the demo's. */
export type CalibratedPages = { url: string } | { names: readonly string[]; server: ServerName };

/** Each protocol twice: the slots of a round that should be alike. */
export const doubled = (protocols: readonly Protocol[]): Protocol[] =>
  [...new Set(protocols)].flatMap((protocol) => [protocol, protocol] satisfies Protocol[]);

/** @returns 0 when something was calibrated, with cautions too; 1 when there were too few valid rounds; 130 when it was interrupted */
export async function calibrate(
  pages: CalibratedPages,
  requestOf: (sites: CampaignRequest['sites']) => CampaignRequest,
  conditions: ConditionWishes,
  options: MeasureOptions,
): Promise<number> {
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    if ('url' in pages)
      return { ...worldScene(complete, options.link), request: named(requestOf([{ url: pages.url }])), tell: tellCalibration };
    const { sites, ...scene } = await demoScene(complete, options, { server: pages.server, port: undefined }, pages.names);
    return { ...scene, request: named(requestOf(sites.map(({ url, name }) => ({ url, name })))), tell: tellCalibration };
  };
  return await measure({ conditions, setScene }, options);
}

const named = (request: CampaignRequest): CampaignRequest => ({ name: 'Calibration', ...request });

/** Prints what an A/A campaign says of itself. @returns 0, or 1 when there were too few rounds to say anything */
export async function tellCalibration(house: House, campaign: Campaign): Promise<number> {
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
