// The centre of a sample, and the shift between two samples, by medians of pairs, with the intervals of the rank tests.

import { mannWhitneyLowerTail } from './mann-whitney.ts';
import { differencesAt, walshAveragesAt } from './pair-orders.ts';
import { normalQuantile } from './probability.ts';
import { assertOrdered } from './sample.ts';
import { signedRankCriticalDepth } from './signed-rank.ts';

/** In the unit of the estimate; both ends belong to it. ∞: unbounded on that side. */
export type Interval = { low: number; high: number };

export type LocationEstimate = {
  /** ±∞ if failures prevail. */
  estimate: number;
  /** Null if there are too few values for the confidence. */
  interval: Interval | null;
};

/**
 * The Hodges–Lehmann estimate of the centre of symmetry, and the confidence interval that holds every centre which the
 * signed-rank test does not reject (Hodges & Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
 * Statistics 34, 1963; Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., §3.2–3.3). The estimate is the
 * median of the n(n + 1)/2 Walsh averages (xᵢ + xⱼ) ÷ 2, i ≤ j; the interval reaches from the kth smallest to the kth largest
 * of them, k by `signedRankCriticalDepth`. With ties the interval errs on the wide side. R: `wilcox.test(x, conf.int = TRUE)`.
 *
 * A value may be ±∞ (one side of a round failed) or NaN (both did). A pair of values with an unknown average, because one of them is NaN or
 * they are ∞ and −∞, counts as −∞ for the lower end and as ∞ for the upper one, so that the interval errs on the wide side, and is left out
 * of the estimate.
 *
 * @param values such as the log-ratios of rounds; the estimate is in their unit.
 * @param confidence of the interval, in (0, 1); default 0.95, for which fewer than 6 values have no interval (0.9: 5).
 * @returns an estimate of NaN if every pair is unknown.
 * @throws RangeError on an empty sample, on a confidence outside (0, 1).
 */
export function pseudomedian(values: readonly number[], confidence = 0.95): LocationEstimate {
  if (values.length === 0) throw new RangeError('pseudomedian of an empty sample, expected at least one value');
  assertConfidence('pseudomedian', confidence);
  const [n, depth] = [values.length, signedRankCriticalDepth(values.length, 1 - confidence)];
  const finite = values.filter(Number.isFinite);
  const [below, above] = [countOf(values, Number.NEGATIVE_INFINITY), countOf(values, Number.POSITIVE_INFINITY)];
  const triangle = (count: number) => (count * (count + 1)) / 2;
  const pairs: Pairs = {
    below: triangle(below) + below * finite.length,
    finite: triangle(finite.length),
    above: triangle(above) + above * finite.length,
    at: (places) => walshAveragesAt(finite, places),
  };
  return estimateOf(triangle(n), pairs, depth);
}

/**
 * The Hodges–Lehmann estimate of how far the first sample lies above the second: the median of all differences xᵢ − yⱼ, and the
 * interval of the shifts that the Mann–Whitney test does not reject (§4.2–4.3 of the same book). For samples that are not
 * paired. R: `wilcox.test(x, y, conf.int = TRUE)`.
 *
 * @param x and
 * @param y in the same unit, which is the estimate's.
 * @param confidence of the interval, in (0, 1); default 0.95, for which two samples of 3 have no interval.
 * @throws RangeError on an empty sample, on NaN, on a confidence outside (0, 1). Failed loads are +∞; the difference of two of them is
 *   unknown, and treated as `pseudomedian` treats such pairs.
 */
export function hodgesLehmannShift(x: readonly number[], y: readonly number[], confidence = 0.95): LocationEstimate {
  assertOrdered('shift: first sample', x);
  assertOrdered('shift: second sample', y);
  assertConfidence('shift', confidence);
  const depth = rankSumCriticalDepth(x.length, y.length, 1 - confidence);
  const infinities = (values: readonly number[]) => [countOf(values, Number.NEGATIVE_INFINITY), countOf(values, Number.POSITIVE_INFINITY)];
  const [finiteX, finiteY] = [x.filter(Number.isFinite), y.filter(Number.isFinite)];
  const [[lowX = 0, highX = 0], [lowY = 0, highY = 0]] = [infinities(x), infinities(y)];
  const pairs: Pairs = {
    below: lowX * (y.length - lowY) + finiteX.length * highY,
    finite: finiteX.length * finiteY.length,
    above: highX * (y.length - highY) + finiteX.length * lowY,
    at: (places) => differencesAt(finiteX, finiteY, places),
  };
  return estimateOf(x.length * y.length, pairs, depth);
}

/** As `signedRankCriticalDepth`, of the differences between two samples: exact up to m n = 900, as `mannWhitneyTest` is. */
function rankSumCriticalDepth(m: number, n: number, alpha: number): number {
  if (m * n <= 900) {
    const tail = mannWhitneyLowerTail(m, n);
    const beyond = tail.findIndex((probability) => 2 * probability > alpha * (1 + 1e-9));
    return beyond === -1 ? tail.length : beyond;
  }
  const deviation = Math.sqrt((m * n * (m + n + 1)) / 12);
  return Math.max(0, Math.floor((m * n) / 2 + 0.5 + deviation * normalQuantile(alpha / 2)));
}

/** The number of pairs that are −∞, finite and ∞; all others are unknown. */
interface Pairs {
  below: number;
  finite: number;
  above: number;
  /** Values of the finite pairs, at indexes in their order. */
  at(places: number[]): number[];
}

const countOf = (values: readonly number[], one: number): number => values.reduce((count, value) => (value === one ? count + 1 : count), 0);

/** @param depth the interval extends from the depth-th smallest to the depth-th largest value; 0: there is none. */
function estimateOf(all: number, { below, finite, above, at }: Pairs, depth: number): LocationEstimate {
  const known = below + finite + above;
  const unknown = all - known;
  // The two middle ones of an even number.
  const middle = known === 0 ? [] : known % 2 === 1 ? [(known - 1) / 2] : [known / 2 - 1, known / 2];
  // Indexes among the known pairs: unknown ones come before all of them for the lower end, and after for the upper one.
  const ends = depth === 0 ? [] : [depth - 1 - unknown, all - depth];
  const wanted = [...middle, ...ends];
  const inside = wanted.filter((place) => place >= below && place < below + finite);
  const values = inside.length === 0 ? [] : at(inside.map((place) => place - below));
  const chosen = wanted.map((place) => {
    if (place < below) return Number.NEGATIVE_INFINITY;
    return place < below + finite ? (values[inside.indexOf(place)] as number) : Number.POSITIVE_INFINITY;
  });
  const [first = Number.NaN, second = first] = chosen.slice(0, middle.length);
  const [low, high] = chosen.slice(middle.length);
  return {
    estimate: first === second ? first : (first + second) / 2,
    interval: low === undefined || high === undefined ? null : { low, high },
  };
}

function assertConfidence(what: string, confidence: number): void {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`${what}: confidence is ${confidence}, expected a number in (0, 1)`);
}

type Equivalence = Interval & {
  /** The interval [low, high] of the pseudomedian of the log-ratios lies inside ±ln(1 + margin). */
  equivalent: boolean;
  /** As requested: 0.05 is 5 %. */
  margin: number;
  /** Confidence of the interval: 1 − 2 alpha. */
  confidence: number;
};

/**
 * Are two protocols equivalent? Two one-sided signed-rank tests (TOST), each at level alpha: that the true centre of the
 * log-ratios lies below −ln(1 + margin), and that it lies above ln(1 + margin). Both are rejected exactly when the
 * signed-rank interval of confidence 1 − 2 alpha lies inside these bounds, and the chance to call a centre on or outside them
 * equivalent is at most alpha (Schuirmann, "A comparison of the two one-sided tests procedure and the power approach",
 * Journal of Pharmacokinetics and Biopharmaceutics 15, 1987; with ranks for t: Hauschke, Steinijans & Diletti, International Journal
 * of Clinical Pharmacology 28, 1990; Meier, Clinical Therapeutics 32, 2010).
 *
 * The bounds are symmetric in the logarithm, from 1 ÷ (1 + margin) to 1 + margin as ratios, so that exchanging the two protocols
 * changes nothing.
 *
 * @param logRatios ln(h3 ÷ h2), one for each round; ±∞ if one of them failed, NaN if both did, which speaks against equivalence on either
 *   side: two protocols that never load are not alike.
 * @param options.margin the largest relative difference that counts as none, > 0; default 0.05.
 * @param options.alpha the level of each one-sided test, in (0, 0.5); default 0.05.
 * @returns null if too few rounds can reach the confidence: fewer than 5 at the default alpha. low and high are logarithms; ±∞ if unbounded.
 * @throws RangeError on an empty sample, on a margin or alpha out of its range.
 */
export function equivalence(logRatios: readonly number[], options: { margin?: number; alpha?: number } = {}): Equivalence | null {
  const { margin = 0.05, alpha = 0.05 } = options;
  if (!(margin > 0 && margin < Number.POSITIVE_INFINITY))
    throw new RangeError(`equivalence: margin is ${margin}, expected a number above 0`);
  if (!(alpha > 0 && alpha < 0.5)) throw new RangeError(`equivalence: alpha is ${alpha}, expected a number in (0, 0.5)`);
  const confidence = 1 - 2 * alpha;
  const { interval } = pseudomedian(logRatios, confidence);
  if (interval === null) return null;
  const bound = Math.log1p(margin);
  return { equivalent: interval.low > -bound && interval.high < bound, ...interval, margin, confidence };
}
