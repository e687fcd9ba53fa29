// How far the measurement is from the truth: pages whose onLoad and SpeedIndex are known by construction.
import { styleText } from 'node:util';
import type { Campaign, Condition } from '@pronghorn/core/schemas';
import type { DemoSite } from '@pronghorn/origin';
import type { Command } from 'commander';
import type { House } from '../house.ts';
import { type MeasuringOptions, measureOptions, measuring, type RequestOf, requestOf } from '../options/measuring.ts';
import { labOf, openDemo } from '../origin.ts';
import { invalidLines } from '../report-details.ts';
import { wrap } from '../terminal.ts';
import { truthTable } from '../truth-table.ts';
import { measure, type Scene } from './measure.ts';
import type { MeasureOptions } from './perform.ts';

export function addGroundTruth(program: Command): void {
  measuring(program.command('ground-truth'), { rounds: 20 })
    .description('measure pages whose onLoad and SpeedIndex are known by construction, and tell the error')
    .action(async (options: MeasuringOptions) => {
      process.exitCode = await groundTruth(requestOf(options), measureOptions(options));
    });
}

/** @returns as `tellTruth`; 130 when interrupted */
async function groundTruth(asked: RequestOf, options: MeasureOptions): Promise<number> {
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const stage = await openDemo(complete, options, { server: { name: 'nginx' }, port: undefined });
    const { sites } = stage.origin;
    const pages = sites.filter(({ truth }) => truth !== undefined).map(({ url, name }) => ({ url, name }));
    return { ...stage, request: { name: 'Ground truth', ...asked(pages) }, lab: labOf(stage.origin), tell: tellTruth(sites) };
  };
  // The truth of a page holds for a path without delay.
  return await measure({ conditions: { list: ['native'], baseRttMs: undefined }, setScene }, options);
}

/** Prints the errors of a campaign on ground-truth pages. @returns 1 when one is shown to miss the goal, 3 when that can't be told of one, else 0 */
export function tellTruth(sites: readonly DemoSite[]) {
  return async (house: House, campaign: Campaign): Promise<number> => {
    const visits = (await Array.fromAsync(house.visits(campaign.id))).filter(({ counted }) => counted);
    const pages = campaign.sites.flatMap(({ id, name }) => {
      const site = sites.find((one) => one.name === name);
      return site === undefined ? [] : [{ site, visits: visits.filter(({ siteId }) => siteId === id) }];
    });
    const { text, missed, open } = truthTable(pages, campaign.spec.protocols);
    console.log(text);
    const { groups } = await house.results(campaign.id);
    for (const line of invalidLines(groups.flatMap(({ slots }) => slots))) console.log(line);
    console.log(
      styleText(
        'dim',
        wrap(
          'Milliseconds. Goal, of the median error beyond set-up: onLoad within 10 ms and 1 %, SpeedIndex within two frames of 60 Hz, which is what a compositor needs. ' +
            'Open: the median is beyond, but its 95 % interval reaches within; more rounds tell.',
        ),
      ),
    );
    return missed > 0 ? 1 : open > 0 ? 3 : 0;
  };
}
