// Differences of two protocols on one common axis, by metric or by quantile. Pure.
import { marginBounds } from '@pronghorn/core/answer';
import type { ByQuantile, CampaignSpec, CellResults, Comparison } from '@pronghorn/core/schemas';
import { confidence, percent, signed, signedPercent } from '../../text/format.ts';
import { metricNameIn, metricNames, protocolNames } from '../../text/vocabulary.ts';
import { missingDelta, pairName, questionOf, roleOf } from './cells.ts';

export type Ends = { low: number; high: number };

export type Estimate = {
  value: number;
  interval: Ends | null;
  /** The narrower interval, which decides equivalence. */
  inner: Ends | null;
};

/** The shift; where a value is 0 and has no ratio, the H3-Delta. */
export function estimateOf({ shift, delta, equivalence }: Pick<Comparison, 'shift' | 'delta' | 'equivalence'>): Estimate | null {
  const estimate = shift ?? delta;
  if (estimate === null || estimate.value === null) return null;
  const { value, low, high } = estimate;
  return {
    value,
    interval: endsOf(low, high),
    inner: shift === null || equivalence === null ? null : endsOf(equivalence.low, equivalence.high),
  };
}

/** Null: open ends are not drawn. */
const endsOf = (low: number | null, high: number | null): Ends | null => (low === null || high === null ? null : { low, high });

/** One range for all estimates: zero and the margin are always in it. */
export function intervalRange(estimates: readonly Estimate[], margin: number): [number, number] {
  const bounds = marginBounds(margin);
  const ends = estimates.flatMap(({ value, interval, inner }) =>
    [value, interval?.low, interval?.high, inner?.low, inner?.high].filter((end) => end !== undefined),
  );
  const [low, high] = [Math.min(bounds.low, ...ends), Math.max(bounds.high, ...ends)];
  const air = (high - low) * 0.05;
  return [low - air, high + air];
}

export interface IntervalRow {
  key: string;
  name: string;
  estimate: Estimate | null;
  /** The same as text. */
  value: string;
  interval: string;
  role?: string;
  /** Its verdict stands beside the interval. */
  comparison?: Comparison;
}
export interface Intervals {
  title: string;
  /** Explains how to read them. */
  legend: string;
  /** Names the ends of the axis. */
  axis: { lower: string; higher: string };
  rows: readonly IntervalRow[];
  /** The API's conclusion from all of them. */
  words?: string;
}

/** One protocol against another on each compared metric: HTTP/3 against HTTP/2; where the campaign has not both, its first pair. */
export function metricIntervals(cell: CellResults, spec: CampaignSpec): Intervals | null {
  const pair = questionOf(cell) ?? cell.comparisons[0];
  if (pair === undefined) return null;
  const [first, second] = [protocolNames[pair.candidate], protocolNames[pair.baseline]];
  const compared = cell.comparisons
    .filter(({ candidate, baseline }) => candidate === pair.candidate && baseline === pair.baseline)
    .toSorted((a, b) => Number(b.confirmatory) - Number(a.confirmatory));
  const inner = compared.find(({ equivalence }) => equivalence !== null)?.equivalence?.confidence;
  return {
    title: pairName(pair),
    legend: [
      `How far ${first} is above or below ${second} within a round, with its ${confidence(compared[0]?.confidence ?? 0)} interval. `,
      `Shaded: the margin of ${percent(spec.margin)} that counts as no difference`,
      inner === undefined ? '.' : `; two are equivalent if their ${confidence(inner)} interval (thick) lies inside.`,
    ].join(''),
    axis: { lower: `${first} lower`, higher: `${first} higher` },
    rows: compared.map((comparison) => ({
      ...{ key: comparison.metric, name: metricNameIn(spec, comparison.metric), role: roleOf(comparison), comparison },
      ...{ estimate: estimateOf(comparison), ...numbersOf(comparison) },
    })),
  };
}

function numbersOf(comparison: Comparison): Pick<IntervalRow, 'value' | 'interval'> {
  const { shift, delta, rounds, candidate, baseline } = comparison;
  if (shift !== null) {
    const value = shift.value === null ? 'no bound' : signedPercent(shift.value);
    return { value, interval: intervalText(comparison, shift, (end) => signedPercent(end, ''), ' %') };
  }
  if (delta !== null) {
    const name = candidate === 'h3' && baseline === 'h2' ? 'H3-Delta' : 'delta';
    return { value: `${name} ${signed(delta.value ?? 0)}`, interval: intervalText(comparison, delta, signed) };
  }
  if (rounds === 0) return { value: '', interval: 'no round has both' };
  return { value: '', interval: `no medians to compare${missingDelta(comparison) === null ? '' : ': visits failed'}` };
}

/** With too few rounds for this one, an interval of less confidence may be drawn. */
function intervalText(
  of: Comparison,
  { low, high }: { low: number | null; high: number | null },
  format: (end: number) => string,
  unit = '',
): string {
  return low === null || high === null
    ? `too few rounds for the ${confidence(of.confidence)} interval`
    : `(${format(low)} to ${format(high)}${unit})`;
}

/** Differences of two protocols' loads, from the fastest to the slowest. */
export function quantileIntervals({ metric, candidate, baseline }: Comparison, byQuantile: ByQuantile, margin: number): Intervals {
  return {
    title: `${metricNames[metric].name} by quantile`,
    words: byQuantile.words,
    legend: `At or below p75 are the fastest three quarters of a protocol’s visits. How far the quantile of ${protocolNames[candidate]} is above or below that of ${protocolNames[baseline]}, with the band that holds all of them together (${confidence(byQuantile.confidence)}). Shaded: the margin of ${percent(margin)}. Exploratory: it names no winner.`,
    // A phone has no room for the protocol's name beside the metric and the numbers.
    axis: { lower: 'lower', higher: 'higher' },
    rows: byQuantile.quantiles.map(({ p, value, low, high }) => {
      const name = `p${Math.round(100 * p)}`;
      if (value === null || low === null || high === null)
        return { key: name, name, estimate: null, value: '', interval: 'not known: visits failed' };
      const interval = `(${signedPercent(low, '')} to ${signedPercent(high)})`;
      return { key: name, name, estimate: { value, interval: { low, high }, inner: null }, value: signedPercent(value), interval };
    }),
  };
}
