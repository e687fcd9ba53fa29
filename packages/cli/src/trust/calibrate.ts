// Measures every protocol against itself, where any winner is a false one.

import type { Campaign, Condition } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { ServerWish } from '@pronghorn/origin';
import type { LocalService } from '../connection/local-service.ts';
import { calibrationReport, calibrations } from '../measure/calibrations.ts';
import { measure, type Scene, worldOrDemo } from '../measure/measure.ts';
import { conditionLines, dropLines, environmentWords, invalidLines } from '../measure/report-details.ts';
import { conditionWishes, measureOptions, visitsOf } from '../measure/request.ts';
import type { VisitingOptions } from '../options/measuring.ts';
import { UsageError } from '../program/errors.ts';
import { dim } from '../program/terminal.ts';

export type CalibrateOptions = VisitingOptions & { sites?: string[]; origin: ServerWish };

/** Each protocol twice: the slots of a round that should be alike. */
const doubled = (protocols: readonly Protocol[]): Protocol[] =>
  [...new Set(protocols)].flatMap((protocol) => [protocol, protocol] satisfies Protocol[]);

/** @returns 0 when something was calibrated, even with cautions; 1 with too few valid rounds; 130 when it was interrupted */
export async function calibrate(url: string | undefined, given: CalibrateOptions): Promise<number> {
  if (url !== undefined && given.sites !== undefined) throw new UsageError('Name either a URL or --sites of the demo.');
  const makeRequest = visitsOf({ ...given, protocols: doubled(given.protocols) });
  const options = measureOptions(given);
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const { sites, ...scene } = await worldOrDemo(url === undefined ? [] : [url], complete, options, given);
    return { ...scene, request: { name: 'Calibration', ...makeRequest(sites) }, print: printCalibration };
  };
  return await measure({ conditions: conditionWishes(given, ['native']), setScene }, options);
}

/** Prints the calibration of an A/A campaign. @returns 0, or 1 with too few rounds */
async function printCalibration(service: LocalService, campaign: Campaign): Promise<number> {
  const [visits, results, environment] = await Promise.all([
    Array.fromAsync(service.visits(campaign.id)),
    service.results(campaign.id),
    service.anyEnvironment(campaign.id),
  ]);
  const slots = calibrations(campaign, visits);
  const text = calibrationReport(campaign, slots, ({ siteId, condition, view }) => {
    const group = results.cells.find((one) => one.siteId === siteId && one.condition === condition && one.view === view);
    const its = group?.slots ?? [];
    return {
      above: conditionLines(results.conditions.find((one) => one.condition === condition)),
      below: [...dropLines(its), ...invalidLines(its)],
    };
  });
  console.log(text);
  if (environment !== undefined) console.log(dim(`\n${environmentWords(environment)}`));
  return slots.some(({ calibration }) => calibration !== null) ? 0 : 1;
}
