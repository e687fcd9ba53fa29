import { quickselect } from 'simple-statistics';
import { type Draws, drawsOf } from './bootstrap-draws.ts';
import type { Interval } from './hodges-lehmann.ts';
import { normalCdf, studentTQuantile } from './probability.ts';

type BootstrapOptions = {
  /** Decides the random resamples; up to 6 rounds there are none. Cells with the same number of rounds and seed share them, which is faster. */
  seed: number;
  /** In (0, 1); default 0.95. */
  confidence?: number;
  /** Default 2000. */
  resamples?: number;
};

/** exact: all nⁿ resamples were counted. */
type Resampled = { method: 'exact' | 'monte-carlo'; resamples: number };

export type BootstrapInterval = Interval & Resampled;

type BootstrapIntervals = Resampled & {
  /** Interval of (median candidate − median baseline) ÷ the larger; null if undefined: both medians are 0. */
  delta: Interval | null;
  /** Interval of median candidate − median baseline, in the unit of the metric. */
  medianDifference: Interval;
};

/**
 * Confidence intervals of H3-Delta (`h3Delta`), or of the same for other protocols, and of the difference of the medians, by the
 * bootstrap. It draws whole rounds, since a round's visits share what the machine and the network were like in it (Efron &
 * Tibshirani, "An Introduction to the Bootstrap", 1993, §8).
 *
 * They are the expanded percentile intervals of Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69 (2015), §5.3: percentile intervals whose tails are narrowed from α/2 to Φ(−√(n ÷ (n − 1)) · t), t the quantile of
 * Student's distribution for n − 1, because a resample of few rounds varies less than a sample does. Up to 6 rounds all
 * resamples are counted (the ideal bootstrap), beyond, `resamples` random ones are drawn.
 *
 * Coverage at 0.95, simulated with normal, log-normal, t (3 df) and two-mode times, whether rounds share nothing or nearly all
 * (bench/statistics/coverage.ts): 93 to 94 % with 5 rounds (93.75 % is all that 5 can give a median), 96 to 97 % with 6, 98 to 99 % with
 * 10, 96 % and more with 50; plain percentile intervals fall to 92 % with 6. Its limit: where the protocols differ in how many
 * visits fall into the upper of two modes, and rounds share their luck, the medians may differ although in none of a few
 * rounds the times do. Coverage can then be as low as 48 % with 5 rounds, 71 % with 10, 90 % with 20; `findModes` may warn of it.
 *
 * A failed load is +∞, and so is a median if half of a resample failed: H3-Delta is then its limit, 1 or −1, and the difference is unbounded.
 *
 * @param rounds one metric in each round that has both, not negative. O(n log n + resamples · n).
 * @returns null where the rounds are too few: even the interval from the smallest to the largest value of n rounds misses a
 *   median with probability 2 ÷ 2ⁿ, and that may exceed 1 − confidence by a quarter, no more (so 5 rounds at 0.95, 4 at 0.9, 8 at
 *   0.99). A resample whose medians are both 0 counts as no difference.
 * @throws RangeError on a value that is negative or no number, on a confidence outside (0, 1), on resamples below 100, and on a
 *   seed that is no integer of 32 bits.
 */
export function bootstrapIntervals(
  rounds: readonly { candidate: number; baseline: number }[],
  { seed, confidence = 0.95, resamples = 2000 }: BootstrapOptions,
): BootstrapIntervals | null {
  const candidate = sampleOf(rounds, 'candidate');
  const baseline = sampleOf(rounds, 'baseline');
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`bootstrap: confidence is ${confidence}, expected a number in (0, 1)`);
  if (!(Number.isInteger(resamples) && resamples >= 100)) {
    throw new RangeError(`bootstrap: resamples is ${resamples}, expected an integer of at least 100`);
  }
  const n = rounds.length;
  if (2 ** (1 - n) > 1.25 * (1 - confidence) + 1e-12) return null;
  const draws = drawsOf(n, resamples, seed);
  const { first: deltas, second: differences } = draws.room;
  drawnMedians(candidate, draws, deltas);
  drawnMedians(baseline, draws, differences);
  for (let resample = 0; resample < deltas.length; resample++) {
    const [medianCandidate, medianBaseline] = [deltas[resample] as number, differences[resample] as number];
    const difference = medianCandidate - medianBaseline;
    differences[resample] = difference;
    deltas[resample] = difference === 0 ? 0 : deltaOf(difference, Math.max(medianCandidate, medianBaseline));
  }
  const tail = tailOf(n, confidence);
  const defined = sampleMedian(candidate) !== 0 || sampleMedian(baseline) !== 0;
  return {
    delta: defined ? between(deltas, draws, tail, 1) : null,
    medianDifference: between(differences, draws, tail, Number.POSITIVE_INFINITY),
    method: draws.method,
    resamples: draws.resamples,
  };
}

/**
 * The confidence interval of H3-Delta, as `bootstrapIntervals` gives it.
 * @returns null where the rounds are too few, and where H3-Delta is not defined: both medians are 0.
 * @throws RangeError as `bootstrapIntervals`.
 */
export function h3DeltaInterval(rounds: readonly { h2: number; h3: number }[], options: BootstrapOptions): BootstrapInterval | null {
  const intervals = bootstrapIntervals(
    rounds.map(({ h2, h3 }) => ({ candidate: h3, baseline: h2 })),
    options,
  );
  return intervals?.delta ? { ...intervals.delta, method: intervals.method, resamples: intervals.resamples } : null;
}

/** The limit ±1 for a finite and an infinite median; NaN for two infinite ones. */
const deltaOf = (difference: number, larger: number): number =>
  larger === Number.POSITIVE_INFINITY ? Math.sign(difference) : difference / larger;

const maxCachedTails = 1000;
const tails = new Map<string, number>();

/** The share of resamples that an interval leaves out on each side; cached, because all cells of a campaign ask for the same. */
function tailOf(n: number, confidence: number): number {
  const key = `${n} ${confidence}`;
  const known = tails.get(key);
  if (known !== undefined) return known;
  const tail = normalCdf(-Math.sqrt(n / (n - 1)) * studentTQuantile((1 + confidence) / 2, n - 1));
  if (tails.size >= maxCachedTails) tails.clear();
  tails.set(key, tail);
  return tail;
}

/** The values of the rounds ascending, and the round of each. */
type Sample = { sorted: number[]; rounds: number[] };

function sampleOf<Side extends string>(given: readonly Record<Side, number>[], side: Side): Sample {
  const values = given.map((round) => round[side]);
  const bad = values.findIndex((value) => !(value >= 0));
  if (bad !== -1) {
    throw new RangeError(`bootstrap: round ${bad} has ${values[bad]} for ${side}, expected a number, not negative`);
  }
  const rounds = [...values.keys()].sort((a, b) => (values[a] as number) - (values[b] as number) || 0);
  return { sorted: rounds.map((round) => values[round] as number), rounds };
}

const middle = (values: readonly number[], lower: number, upper: number) => ((values[lower] as number) + (values[upper] as number)) / 2;

function sampleMedian({ sorted }: Sample): number {
  return middle(sorted, (sorted.length - 1) >> 1, sorted.length >> 1);
}

/** The median of one side in each resample: walks up the sorted values, each as often as its round was drawn, to the middle. */
function drawnMedians({ sorted, rounds }: Sample, { n, counts }: Draws, medians: Float64Array): void {
  const [lowerMiddle, upperMiddle] = [(n + 1) >> 1, (n >> 1) + 1];
  for (let resample = 0, start = 0; resample < medians.length; resample++, start += n) {
    let place = -1;
    let passed = 0;
    while (passed < lowerMiddle) passed += counts[start + (rounds[++place] as number)] as number;
    const lower = place;
    while (passed < upperMiddle) passed += counts[start + (rounds[++place] as number)] as number;
    medians[resample] = middle(sorted, lower, place);
  }
}

/**
 * From the `tail` quantile of the resamples' statistics to the 1 − `tail` quantile. If both medians of a resample are infinite their
 * difference is unknown: it counts as the lowest for the lower end, and as the highest for the upper one.
 *
 * @param beyond the bound of the statistic: ∞, or 1 for H3-Delta.
 */
function between(statistics: Float64Array, draws: Draws, tail: number, beyond: number): Interval {
  if (!statistics.some(Number.isNaN)) return betweenKnown(statistics, draws, tail);
  const filled = (value: number) => statistics.map((statistic) => (Number.isNaN(statistic) ? value : statistic));
  return { low: betweenKnown(filled(-beyond), draws, tail).low, high: betweenKnown(filled(beyond), draws, tail).high };
}

function betweenKnown(statistics: Float64Array, { weights }: Draws, tail: number): Interval {
  const last = statistics.length - 1;
  if (weights === null) {
    const depth = Math.max(0, Math.floor(tail * (statistics.length + 1)) - 1);
    const at = (place: number): number => {
      quickselect(statistics as unknown as number[], place);
      return statistics[place] as number;
    };
    return { low: at(depth), high: at(last - depth) };
  }
  return { low: beyondTail(statistics, weights, tail, 1), high: beyondTail(statistics, weights, tail, -1) };
}

/** The first value, from the smallest up (1) or the largest down (−1), up to which the weight exceeds `tail`: a few steps away. */
function beyondTail(statistics: Float64Array, weights: Float64Array, tail: number, direction: 1 | -1): number {
  let reached: number | null = null; // −∞ is a value too
  let passed = 0;
  while (passed <= tail) {
    let next = Number.POSITIVE_INFINITY;
    let weight = 0;
    for (let i = 0; i < statistics.length; i++) {
      const value = direction * (statistics[i] as number);
      if ((reached !== null && value <= reached) || value > next) continue;
      weight = (value === next ? weight : 0) + (weights[i] as number);
      next = value;
    }
    passed += weight;
    reached = next;
  }
  return direction * (reached ?? 0);
}
