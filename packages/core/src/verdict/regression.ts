// Did a page get slower than in the nights before? The night is the unit: visits of one night share its traffic, its caches and its
// machine, so that a test over visits finds a difference every other night where there is none.
// docs/decisions/0018-regressions.md has the alternatives.

/** A series of numbers over campaigns: a site under a condition, over a protocol. */
export interface NightSeries {
  /** Its median in each campaign, oldest first; positive, of a metric where higher is worse. NaN: none. */
  medians: readonly number[];
}

interface SeriesRegression {
  /** Index of the given series. */
  place: number;
  /** How far the better of the latest campaigns is above the geometric mean of the earlier ones, as a share of it. */
  change: number;
  /** Corrected for all series. */
  p: number;
  /** Geometric mean of the earlier campaigns, and how many of them have a number. */
  baseline: number;
  baselineRuns: number;
  /** Standard deviation of ln(median) over these: about the share by which nights normally differ. */
  spread: number;
  /** Index of the campaign where the run of worse ones begins: from there on each median is nearer to the latest two than to the baseline. */
  since: number;
}

/** A regression is named if this many campaigns in a row show it: a single slow night is none. */
export const latestRuns = 2;
/** Fewer earlier campaigns can't reach the level: 1 ÷ C(6, 2) is 0.067, 1 ÷ C(7, 2) is 0.048. */
export const minBaselineRuns = 5;
const level = 0.05;
/**
 * From this many earlier campaigns on, the latest pair of neighbours can be among the 5 % most extreme: with the latest two they have 21,
 * and 1 ÷ 21 is 0.048.
 */
export const minNeighbourRuns = 20;
const minNeighbours = minNeighbourRuns + latestRuns - 1;

/** Lower bound of the spread, as ln: nights that are closer together by luck don't make a small change large. */
const smallestSpread = 0.01;
/** Earlier campaigns that a series itself needs, if some are missing. */
const minOfSeries = 4;

/**
 * Series that are worse in the latest two campaigns than in the earlier ones, judged together.
 *
 * The statistic of a series and two nights is (the smaller of their ln medians − mean of the others') ÷ standard deviation of the others. p
 * is the share of pairs of nights whose largest statistic over all series reaches that of the series in the latest two (Westfall & Young,
 * Resampling-Based Multiple Testing, 1993, single-step maxT): corrected for all series, whatever their dependence and distribution (heavy
 * tails, skew). Which pairs:
 *
 * - Neighbouring nights, from 21 such pairs on, which 22 nights have. They are as correlated as the latest two, so nights need not be
 *   exchangeable: a stationary series is enough. That is exact except for the ends: the first and the last pair have one neighbour instead
 *   of two.
 * - All pairs, with fewer nights. Exact for exchangeable nights; correlated ones are not exchangeable, and docs/schedules.md
 *   shows what that costs.
 *
 * The prediction interval of Student's t would need one night less and normal nights: of 24 series whose ln medians have heavy tails (Student's
 * t with 3 degrees of freedom) it names one falsely in 15 to 18 % of campaigns, where they are exponential in 40 to 46 %
 * (bench/statistics/regression-rates.ts).
 *
 * @param series over the same campaigns. A series without a number in the latest two, or with fewer than four before, is skipped. If it
 *   lacks other numbers, the pairs count in which it has both.
 * @param threshold smallest `change` that matters, such as 0.1.
 * @returns those with p < 0.05 and a change that matters; empty if there are too few campaigns. O(series × campaigns²).
 */
export function findRegressions(series: readonly NightSeries[], threshold: number): SeriesRegression[] {
  const runs = series[0]?.medians.length ?? 0;
  if (runs < minBaselineRuns + latestRuns) return [];
  const lines = series.map(({ medians }) => lineOf(medians));
  const pairs: Pair[] = [];
  for (let second = 1; second < runs; second++) {
    for (let first = 0; first < second; first++) {
      const largest = lines.reduce((max, line) => Math.max(max, compare(line, first, second).statistic), Number.NEGATIVE_INFINITY);
      pairs.push({ first, second, largest });
    }
  }
  const neighbours = pairs.filter(({ first, second }) => second - first === 1);
  return lines.flatMap((line, place) => {
    const { statistic, excess, mean, spread, others } = compare(line, runs - 2, runs - 1);
    const change = Math.expm1(excess);
    if (!(statistic > Number.NEGATIVE_INFINITY) || change < threshold) return [];
    const known = (one: Pair) => hasBoth(line, one);
    const adjacent = neighbours.filter(known);
    const reference = adjacent.length < minNeighbours ? pairs.filter(known) : adjacent;
    const p = reference.filter(({ largest }) => largest >= statistic).length / reference.length;
    const since = beginOfRun(line, mean + excess / 2);
    return p < level ? [{ place, change, p, baseline: Math.exp(mean), baselineRuns: others, spread, since }] : [];
  });
}

/** Whether it has the numbers that `findRegressions` needs of a series. */
export const hasEnoughRuns = ({ medians }: NightSeries): boolean =>
  compare(lineOf(medians), medians.length - 2, medians.length - 1).others >= minOfSeries;

/** Of the campaigns in a row above a limit, the first; the latest two are. Campaigns without a number neither begin nor end it. @param limit as ln. */
function beginOfRun({ logs, centre }: Line, limit: number): number {
  let begin = logs.length - latestRuns;
  for (let run = begin - 1; run >= 0; run--) {
    const log = logs[run] as number;
    if (Number.isNaN(log)) continue;
    if (log + centre <= limit) break;
    begin = run;
  }
  return begin;
}

/**
 * The share of campaigns with a false claim, for any threshold, if nights are as `findRegressions` assumes and every series is complete: p
 * takes few values. For neighbouring pairs it is a little higher, because the last one is at an end: 4.1 instead of 3.4 % with 28 earlier
 * campaigns, 5.1 instead of 4.8 % with 20.
 */
export function falseAlarmShare(baselineRuns: number): number {
  const runs = baselineRuns + latestRuns;
  const pairs = runs - 1 < minNeighbours ? (runs * (runs - 1)) / 2 : runs - 1;
  let within = Math.floor(level * pairs);
  while (within / pairs >= level) within--;
  return within / pairs;
}

/** Two nights, and the largest statistic of any series for them. */
interface Pair {
  first: number;
  second: number;
  largest: number;
}

interface Line {
  /** NaN: none. */
  logs: Float64Array;
  count: number;
  sum: number;
  sumOfSquares: number;
  /** Subtracted from every log, so that squares of small differences are not lost in those of large numbers. */
  centre: number;
}

function lineOf(medians: readonly number[]): Line {
  const logs = Float64Array.from(medians, (value) => (value > 0 ? Math.log(value) : Number.NaN));
  const known = logs.filter((value) => !Number.isNaN(value));
  const centre = known.length === 0 ? 0 : known.reduce((total, value) => total + value, 0) / known.length;
  let [sum, sumOfSquares] = [0, 0];
  for (const [i, value] of logs.entries()) {
    logs[i] = value - centre;
    if (Number.isNaN(value)) continue;
    sum += value - centre;
    sumOfSquares += (value - centre) ** 2;
  }
  return { logs, count: known.length, sum, sumOfSquares, centre };
}

const hasBoth = ({ logs }: Line, { first, second }: Pair): boolean => !Number.isNaN(logs[first]) && !Number.isNaN(logs[second]);

const untold = { statistic: Number.NEGATIVE_INFINITY, excess: 0, mean: 0, spread: 0, others: 0 };

/** Two nights against all others. */
function compare({ logs, count, sum, sumOfSquares, centre }: Line, first: number, second: number) {
  const [a, b] = [logs[first] as number, logs[second] as number];
  const others = count - 2;
  if (Number.isNaN(a) || Number.isNaN(b) || others < minOfSeries) return untold;
  const mean = (sum - a - b) / others;
  const variance = Math.max(0, (sumOfSquares - a * a - b * b - others * mean * mean) / (others - 1));
  const spread = Math.max(smallestSpread, Math.sqrt(variance));
  const excess = Math.min(a, b) - mean;
  return { statistic: excess / spread, excess, mean: mean + centre, spread, others };
}

/**
 * For each series, the probability that its latest two runs are this far above the earlier ones, if all runs are exchangeable: the
 * statistic of `findRegressions` over all pairs, the maximum over series. So it is corrected for all of them, whatever the distribution of
 * runs: at least 1 ÷ C(n, 2) for n runs.
 *
 * @param series of the same runs, none missing; 1 if the lesser of the latest two is not above the mean of the others.
 */
export function latestPairP(series: readonly NightSeries[]): number[] {
  const runs = series[0]?.medians.length ?? 0;
  const lines = series.map(({ medians }) => lineOf(medians));
  const largest: number[] = [];
  for (let second = 1; second < runs; second++) {
    for (let first = 0; first < second; first++) {
      largest.push(lines.reduce((max, line) => Math.max(max, compare(line, first, second).statistic), Number.NEGATIVE_INFINITY));
    }
  }
  return lines.map((line) => {
    const { statistic, excess } = compare(line, runs - 2, runs - 1);
    // Equal runs tie, despite the rounding of their sums.
    return excess > 1e-12 ? largest.filter((other) => other >= statistic - 1e-9).length / largest.length : 1;
  });
}
