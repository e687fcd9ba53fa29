// Compares measurements with the truth: pages whose onLoad, SpeedIndex and LCP are known by construction.

import { medianInterval, quantile } from '@pronghorn/core/math';
import { type Campaign, type Condition, pageMetrics, type Visit } from '@pronghorn/core/schemas';
import { metricOf, type Protocol } from '@pronghorn/core/vocabulary';
import type { DemoSite } from '@pronghorn/origin';
import type { LocalService } from '../connection/local-service.ts';
import { labOf, openDemo } from '../measure/demo-origin.ts';
import { measure, type Scene } from '../measure/measure.ts';
import { invalidLines } from '../measure/report-details.ts';
import { measureOptions, requestOf } from '../measure/request.ts';
import type { MeasuringOptions } from '../options/measuring.ts';
import { dim, type TableCell, table, wrap } from '../program/terminal.ts';
import { playTricks } from './tricks.ts';

export type GroundTruthOptions = MeasuringOptions & { tricks?: readonly string[] | true };

/** @returns as `printTruth` or `printTricks`; 130 when interrupted */
export async function groundTruth({ tricks, ...given }: GroundTruthOptions): Promise<number> {
  if (tricks !== undefined) return await playTricks(tricks === true ? ['usual'] : tricks, { rounds: 12, ...given });
  const chosen = { rounds: 20, ...given };
  const [makeRequest, options] = [requestOf(chosen), measureOptions(chosen)];
  const setScene = async (complete: readonly Condition[]): Promise<Scene> => {
    const stage = await openDemo(complete, options, { server: { name: 'nginx' }, port: undefined });
    const { sites } = stage.origin;
    const pages = sites.filter(({ truth }) => truth !== undefined).map(({ url, name }) => ({ url, name }));
    return { ...stage, request: { name: 'Ground truth', ...makeRequest(pages) }, lab: labOf(stage.origin), print: printTruth(sites) };
  };
  // The truth of a page is for a path without delay.
  return await measure({ conditions: { list: ['native'], baseRttMs: undefined }, setScene }, options);
}

/** Prints the errors of a campaign on ground-truth pages. @returns 1 when one misses the goal, 3 when that is unclear for one, else 0 */
export function printTruth(sites: readonly DemoSite[]) {
  return async (service: LocalService, campaign: Campaign): Promise<number> => {
    const visits = (await Array.fromAsync(service.visits(campaign.id))).filter(({ counted }) => counted);
    const pages = campaign.sites.flatMap(({ id, name }) => {
      const site = sites.find((one) => one.name === name);
      return site === undefined ? [] : [{ site, visits: visits.filter(({ siteId }) => siteId === id) }];
    });
    const { text, missed, open } = truthTable(pages, campaign.spec.protocols);
    console.log(text);
    const { cells } = await service.results(campaign.id);
    for (const line of invalidLines(cells.flatMap(({ slots }) => slots))) console.log(line);
    console.log(
      dim(
        'Milliseconds. Goal for the median error beyond set-up: onLoad within 10 ms and 1 %, SpeedIndex and LCP within two frames of 60 Hz, which a compositor needs; none where the page has none. ' +
          'Open: the median is beyond, but its 95 % interval reaches within; too few: fewer than six visits have no interval. More rounds will show.',
      ),
    );
    return missed > 0 ? 1 : open > 0 ? 3 : 0;
  };
}

/** The maximum time of a 60 Hz compositor from an arrival to the frame that shows it: the rest of one frame, and the next. */
const twoFramesMs = 2 * (1000 / 60);

/**
 * The allowed median error beyond set-up, since the constructed times begin with the document's arrival. A load event comes with the last object: 10 ms
 * and 1 % of the constructed value. An arrival is seen in a frame: SpeedIndex's truth is the first frame after each arrival, at most two frames later.
 */
const metrics = [
  { metric: 'onLoad', title: 'onLoad', truthName: 'onLoadMs', allowedMs: (truthMs: number) => 10 + 0.01 * truthMs },
  { metric: 'speedIndex', title: 'SpeedIndex', truthName: 'speedIndexMs', allowedMs: () => twoFramesMs },
  { metric: 'largestContentfulPaint', title: 'LCP', truthName: 'largestContentfulPaintMs', allowedMs: () => twoFramesMs },
] as const;

/**
 * @param sites with the visits that count; sites without a constructed truth are ignored
 * @returns the table, how many of its rows miss the goal (those without any visit do), and how many seem to, but have too few visits to be sure
 */
export function truthTable(
  sites: readonly { site: DemoSite; visits: readonly Visit[] }[],
  protocols: readonly Protocol[],
): { text: string; missed: number; open: number } {
  const rows: TableCell[][] = [];
  const count = { within: 0, few: 0, open: 0, missed: 0 };
  for (const { site, visits } of sites) {
    const { truth } = site;
    if (truth === undefined) continue;
    for (const { metric, title, truthName, allowedMs } of metrics) {
      for (const protocol of new Set(protocols)) {
        const measured = visits.flatMap(({ protocol: its, outcome }) => {
          const value = its === protocol && outcome.verdict === 'valid' ? metricOf(outcome.metrics, metric) : null;
          return value === null || outcome.verdict !== 'valid' ? [] : [{ value, setUp: outcome.metrics.ttfb }];
        });
        const constructed = truth[truthName];
        if (constructed === null) {
          const judged = measured.length === 0 ? 'none' : 'missed';
          count[judged === 'none' ? 'within' : judged] += 1;
          rows.push([site.name, title, protocol, String(measured.length), 'none', '–', '–', '–', '–', 'none', judgedCells[judged]]);
          continue;
        }
        const errors = measured.map(({ value }) => value - constructed);
        const beyondSetUp = measured.map(({ value, setUp }) => value - setUp - constructed);
        const allowed = allowedMs(constructed);
        const judged = judge(beyondSetUp, allowed);
        count[judged] += 1;
        rows.push([
          site.name,
          title,
          protocol,
          String(errors.length),
          constructed.toFixed(1),
          ...(errors.length === 0
            ? ['–', '–', '–', '–']
            : [quantile(errors, 0.5), Math.min(...errors), Math.max(...errors), quantile(beyondSetUp, 0.5)].map(signed)),
          `±${allowed.toFixed(1)}`,
          judgedCells[judged],
        ]);
      }
    }
  }
  const header = ['page', 'metric', '', 'n', 'constructed', 'median error', 'min', 'max', 'beyond set-up', 'goal', ''];
  return { text: `${table(header, rows, [0, 1, 2, 10])}\n\n${paintNote(sites)}`, missed: count.missed, open: count.open + count.few };
}

const judgedCells = {
  within: { text: 'within', style: 'green' },
  none: { text: 'none, rightly', style: 'green' },
  few: { text: 'too few', style: 'yellow' },
  open: { text: 'open', style: 'yellow' },
  missed: { text: 'MISSED', style: 'red' },
} as const satisfies Record<string, TableCell>;

/** A median beyond the goal misses it where its whole 95 % interval is beyond; otherwise the next run may say the opposite. */
function judge(errors: readonly number[], allowed: number): 'within' | 'few' | 'open' | 'missed' {
  if (errors.length === 0) return 'missed';
  if (Math.abs(quantile(errors, 0.5)) <= allowed) return 'within';
  const interval = medianInterval(errors);
  if (interval === null) return 'few';
  return interval.low <= allowed && interval.high >= -allowed ? 'open' : 'missed';
}

/** The parts of SpeedIndex's error: Chrome's own time to paint, and the delay of the frames. */
function paintNote(sites: readonly { site: DemoSite; visits: readonly Visit[] }[]): string {
  const paints = sites.flatMap(({ site: { truth }, visits }) =>
    visits.flatMap(({ outcome }) => {
      const metrics = pageMetrics(outcome);
      if (truth === undefined || metrics === null) return [];
      const { ttfb, firstContentfulPaint, firstVisualChange } = metrics;
      if (firstContentfulPaint === null || firstVisualChange === null) return [];
      return [{ delay: firstContentfulPaint - ttfb - truth.firstVisualChangeMs, lag: firstVisualChange - firstContentfulPaint }];
    }),
  );
  if (paints.length === 0) return 'No visit has a first paint.';
  const median = (values: number[]) => signed(quantile(values, 0.5));
  return wrap(
    `Set-up is each visit’s time to first byte: the document is answered at once, so the constructed times begin there. From the arrival of ` +
      `the first object to Chrome’s own first contentful paint it takes ${median(paints.map(({ delay }) => delay))} ms (median of ${paints.length} ` +
      `visits); the frame that shows it, of which SpeedIndex is made, has its time ${median(paints.map(({ lag }) => lag))} ms from that paint.`,
  );
}

const signed = (ms: number) => `${ms < 0 ? '−' : '+'}${Math.abs(ms).toFixed(1)}`;
