// A metric from campaign to campaign: what a TrendPlot draws, what of it belongs together, which campaign is meant, and the numbers.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Chart } from 'chart.js';
import { time } from '../../text/format.ts';
import { protocolNames } from '../../text/vocabulary.ts';
import { type PickedPoint, type Place, stepInRows } from '../frame/picking.ts';
import { type Cell, type ChartTable, type ChartUnit, quantityColumn } from '../frame/table.ts';

export type TrendPlotPoint = {
  /** ISO 8601, of the campaign. */
  at: string;
  /** Null: the median load failed, which has no place on the axis. */
  value: number | null;
  interval: { low: number; high: number } | null;
  campaignId: string;
  /** From the campaign's annotations; a change is marked on the time axis. */
  commit?: string | null;
  /** The API's sentence about it where it is a regression; it is marked. */
  regression?: string | null;
};

export type TrendPlotSeries = {
  name: string;
  protocol: Protocol;
  /** The oldest first. */
  points: readonly TrendPlotPoint[];
};

/** A pause this many times the usual one is a gap. */
const gapFactor = 2.5;

/** Longer pauses than this are gaps, in milliseconds; infinite where there are too few points for it. */
export function longestPause(points: readonly Pick<TrendPlotPoint, 'at'>[]): number {
  const pauses = points
    .slice(1)
    .map(({ at }, i) => Date.parse(at) - Date.parse(points[i]?.at ?? at))
    .sort((a, b) => a - b);
  return pauses.length < 3 ? Number.POSITIVE_INFINITY : gapFactor * (pauses[Math.floor(pauses.length / 2)] as number);
}

export type CommitMark = { at: number; commit: string };

/** Points where the commit changes, over all series; each time once. */
export function commitMarks(series: readonly TrendPlotSeries[]): CommitMark[] {
  const byTime = new Map(
    series.flatMap(({ points }) => points.flatMap(({ at, commit }) => (commit ? [[Date.parse(at), commit] as const] : []))),
  );
  const inOrder = [...byTime].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([at, commit], i) => (commit === inOrder[i - 1]?.[1] ? [] : [{ at, commit }]));
}

export type BandPoint = { at: number; low: number; high: number };

/** Runs of points with intervals, without a gap: a band is drawn for each. */
export function bands(points: readonly TrendPlotPoint[]): BandPoint[][] {
  const pause = longestPause(points);
  const runs: BandPoint[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, interval } of points) {
    const ms = Date.parse(at);
    if (interval === null) {
      last = Number.NEGATIVE_INFINITY;
      continue;
    }
    if (ms - last > pause || last === Number.NEGATIVE_INFINITY) runs.push([]);
    runs.at(-1)?.push({ at: ms, ...interval });
    last = ms;
  }
  return runs;
}

/** The nearest campaign within `reach` pixels. */
export function nearestPoint(
  at: Place,
  series: readonly TrendPlotSeries[],
  { scales: { x, y } }: Pick<Chart, 'scales'>,
  reach: number,
): PickedPoint | null {
  let closest: PickedPoint | null = null;
  let best = reach * reach;
  for (const [row, { points }] of series.entries())
    for (const [index, point] of points.entries()) {
      if (point.value === null) continue;
      const dx = (x?.getPixelForValue(Date.parse(point.at)) ?? 0) - at.x;
      const dy = (y?.getPixelForValue(point.value) ?? 0) - at.y;
      if (dx * dx + dy * dy > best) continue;
      best = dx * dx + dy * dy;
      closest = { row, index };
    }
  return closest;
}

/** From campaign to campaign in time, and to the other line at about that time; from the newest of the first line. */
export const steppedPoint = (key: string, from: PickedPoint | null, series: readonly TrendPlotSeries[]): PickedPoint | null =>
  stepInRows(
    key,
    from,
    series.map(({ points }) => points.map(({ at }) => Date.parse(at))),
    (count) => count - 1,
  );

/** A row for each campaign of each line. */
export function trendTable(series: readonly TrendPlotSeries[], name: string, unit: ChartUnit): ChartTable {
  return {
    columns: [
      ...[{ name: 'line' }, { name: 'protocol' }, { name: 'time', format: (cell: Cell) => time(String(cell)) }],
      ...[name, 'low', 'high'].map((column) => quantityColumn(column, unit)),
      ...[{ name: 'commit' }, { name: 'regression' }, { name: 'campaign' }],
    ],
    rows: series.flatMap(({ name: line, protocol, points }) =>
      points.map(({ at, value, interval, commit, regression, campaignId }) => [
        ...[line, protocolNames[protocol], at, value, interval?.low ?? null, interval?.high ?? null],
        ...[commit ?? null, regression ?? null, campaignId],
      ]),
    ),
  };
}
