import { quantileSorted } from 'simple-statistics';
import { assertSample } from '../math/sample.ts';
import { finiteOf } from './summary.ts';

type Mode = {
  /** The median of its values, in the unit of the sample. */
  centre: number;
  /** Share of the values of the sample, in (0, 1]. */
  share: number;
};

export type Modes = {
  /** Two modes are shown: p ≤ 0.05. */
  bimodal: boolean;
  /** p-value for a distribution with one mode; small: the sample has more. */
  p: number;
  /** The lower and the upper one, separated at the clearest gap; one, of all values, if two are not shown. */
  modes: Mode[];
};

/** Three values make the smallest mode, and two of them the smallest sample that can show two modes. */
const minInMode = 3;
const alpha = 0.05;

/**
 * Has a sample two modes, such as visits that took one more round trip? Then its median says little.
 *
 * The test looks for a gap that is too wide. A density with one mode falls on both sides of it, so the spacings between sorted
 * values widen away from the mode: beyond any gap there is a side whose k next spacings tend to be at least as wide as the gap. At
 * worst, where the density is flat, they are all alike, and a gap of at least g beside spacings that sum to s has the probability
 * (s ÷ (s + g))ᵏ (Pyke, "Spacings", Journal of the Royal Statistical Society B 27, 1965). A gap counts by the side on which it
 * surprises less. Of each side the nearest three quarters of the spacings are taken, so that a straggler hides nothing. Every gap
 * with at least 3 values and a tenth of the sample on each side is tried; p is the smallest probability times the number of gaps
 * tried (Bonferroni), or times half that number up to 50 values, because neighbouring gaps share their spacings: in simulations of
 * 40 distributions with one mode no more was needed. Values may lie on a grid, as Chrome's paint times do, which are multiples of 4 ms, or
 * of a frame: what its step may add to a gap is taken off (`stepOf`).
 *
 * False alarms (bench/statistics/modes.ts): up to 1 % on normal, log-normal, exponential, t and Pareto samples, 3 % on uniform ones, and
 * 5 % on the worst found, a narrow peak before a wide plateau, where Hartigan's dip test has up to 17 %. Two modes 6, 8 and 10 of
 * their deviations apart, with 30 to 70 % of the values late, are found in 11–18, 24–42 and 37–61 % of samples of 10, in 27–50,
 * 53–85 and 70–96 % of 20, in 66–88, 96–100 and 99–100 % of 50; the dip test finds fewer of uneven modes and more of close even ones.
 *
 * More than two modes are split into two. O(n log n).
 *
 * @param sample in any order.
 * @returns null for fewer than 6 values, which can't show two modes.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function findModes(sample: readonly number[]): Modes | null {
  assertSample('modes', sample);
  const n = sample.length;
  if (n < 2 * minInMode) return null;
  const sorted = sample.toSorted((a, b) => a - b);
  const step = stepOf(sorted);
  const minSize = Math.max(minInMode, Math.ceil(n / 10));
  let [smallest, split] = [1, minSize];
  for (let upper = minSize; upper <= n - minSize; upper++) {
    const probability = gapProbability(sorted, upper, step);
    if (probability < smallest) [smallest, split] = [probability, upper];
  }
  const gaps = n - 2 * minSize + 1;
  const p = Math.min(1, smallest * (n <= 50 ? Math.max(1, gaps / 2) : gaps));
  const bimodal = p <= alpha;
  return { bimodal, p, modes: (bimodal ? [sorted.slice(0, split), sorted.slice(split)] : [sorted]).map((part) => modeOf(part, n)) };
}

/** The probability of a gap as wide as that below the value at `upper`, on the side where it is less surprising. */
function gapProbability(sorted: readonly number[], upper: number, step: number): number {
  const at = (place: number) => sorted[place] as number;
  const gap = at(upper) - at(upper - 1) - step;
  if (gap <= 0) return 1;
  const below = Math.ceil(0.75 * (upper - 1));
  const above = Math.ceil(0.75 * (sorted.length - upper - 1));
  const spanBelow = at(upper - 1) - at(upper - 1 - below) + step;
  const spanAbove = at(upper + above) - at(upper) + step;
  return Math.max((spanBelow / (spanBelow + gap)) ** below, (spanAbove / (spanAbove + gap)) ** above);
}

/**
 * The step of the grid that values lie on: the greatest common divisor of their distances, if all are multiples of 1, 0.1, 0.01 or 0.001.
 * If fewer than half of them are distinct it is at least the smallest distance, because that many would hardly coincide without a grid. Only
 * two values, at least a fifth apart, are two modes rather than two lines of a grid. 0 if there is none.
 */
function stepOf(sorted: readonly number[]): number {
  const [first = 0] = sorted;
  const isMultiple = (value: number, step: number) => Math.abs(value / step - Math.round(value / step)) < 1e-6;
  const unit = [1, 0.1, 0.01, 0.001].find((step) => sorted.every((value) => isMultiple(value, step)));
  const distances = sorted.flatMap((value, i) => (i > 0 && value > (sorted[i - 1] as number) ? [value - (sorted[i - 1] as number)] : []));
  const [only] = distances;
  if (distances.length === 1 && only !== undefined && only >= Math.abs(first) / 5) return unit ?? 0;
  const step = unit === undefined ? 0 : unit * sorted.reduce((divisor, value) => gcd(divisor, Math.round((value - first) / unit)), 0);
  return distances.length + 1 < sorted.length / 2 && distances.length > 0 ? Math.max(step, Math.min(...distances)) : step;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** The modes of the loads that have a time. */
export function modesOfLoads(values: readonly number[]): Modes | null {
  const finite = finiteOf(values);
  return finite.length === 0 ? null : findModes(finite);
}

function modeOf(sorted: readonly number[], n: number): Mode {
  return { centre: quantileSorted(sorted, 0.5), share: sorted.length / n };
}
