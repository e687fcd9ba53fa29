// A metric from campaign to campaign: what a TrendPlot is given, and what of it belongs together. Pure.
import type { Protocol } from '@pronghorn/core/vocabulary';

export type TrendPlotPoint = {
  /** ISO 8601, of the campaign. */
  at: string;
  value: number;
  /** Null: there is none. */
  interval: { low: number; high: number } | null;
  campaignId: string;
  /** Of the campaign's annotations; a change from the point before is marked on the time axis. */
  commit?: string | null;
  /** What the API says of it, in words, where it is a regression; it is marked. */
  regression?: string | null;
};

export type TrendPlotSeries = {
  name: string;
  protocol: Protocol;
  /** The oldest first. */
  points: readonly TrendPlotPoint[];
};

/** So many times the usual distance between two campaigns is a gap: nothing is known of what was there. */
const gapFactor = 2.5;

/** Longer pauses than this are gaps, in milliseconds; infinite where there are too few points to tell. */
export function longestPause(points: readonly Pick<TrendPlotPoint, 'at'>[]): number {
  const pauses = points
    .slice(1)
    .map(({ at }, i) => Date.parse(at) - Date.parse(points[i]?.at ?? at))
    .sort((a, b) => a - b);
  return pauses.length < 3 ? Number.POSITIVE_INFINITY : gapFactor * (pauses[Math.floor(pauses.length / 2)] as number);
}

export type CommitMark = { at: number; commit: string };

/** Where the commit is another than at the campaign before, over all series: each time once. */
export function commitMarks(series: readonly TrendPlotSeries[]): CommitMark[] {
  const byTime = new Map(
    series.flatMap(({ points }) => points.flatMap(({ at, commit }) => (commit ? [[Date.parse(at), commit] as const] : []))),
  );
  const inOrder = [...byTime].sort(([a], [b]) => a - b);
  return inOrder.flatMap(([at, commit], i) => (commit === inOrder[i - 1]?.[1] ? [] : [{ at, commit }]));
}

/** As people name it: the first seven digits of a hash, anything else as it is. */
export const shortCommit = (commit: string) => (/^[0-9a-f]{12,}$/i.test(commit) ? commit.slice(0, 7) : commit);

/** Runs of points without a gap that have an interval: what a band can be drawn of. */
export function bands(points: readonly TrendPlotPoint[]): { at: number; low: number; high: number }[][] {
  const pause = longestPause(points);
  const runs: { at: number; low: number; high: number }[][] = [];
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
