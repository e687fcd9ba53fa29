// Where a sample lies, or one above another, by the medians of pairs, with the intervals of the rank tests.
import { normalQuantile } from './distributions.ts';
import { mannWhitneyLowerTail } from './mann-whitney-distribution.ts';
import { differencesAt, walshAveragesAt } from './pair-orders.ts';
import { assertSample } from './sample.ts';
import { signedRankCriticalDepth } from './signed-rank.ts';

/** In the unit of the estimate; both ends belong to it. */
export type Interval = { low: number; high: number };

export type LocationEstimate = {
  estimate: number;
  /** Null where too few values can reach the confidence asked for. */
  interval: Interval | null;
};

/**
 * The Hodges–Lehmann estimate of the centre of symmetry, and the confidence interval that holds every centre which the
 * signed-rank test does not reject (Hodges & Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
 * Statistics 34, 1963; Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3rd ed., §3.2–3.3). The estimate is the
 * median of the n(n + 1)/2 Walsh averages (xᵢ + xⱼ) ÷ 2, i ≤ j; the interval reaches from the kth smallest to the kth largest
 * of them, k by `signedRankCriticalDepth`. With ties the interval errs on the wide side. R: `wilcox.test(x, conf.int = TRUE)`.
 *
 * @param values such as the log-ratios of rounds; the estimate is in their unit.
 * @param confidence of the interval, in (0, 1); default 0.95, for which fewer than 6 values have no interval (0.9: 5).
 * @throws RangeError on an empty sample, on a value that is not finite, on a confidence outside (0, 1).
 */
export function pseudomedian(values: readonly number[], confidence = 0.95): LocationEstimate {
  assertSample('pseudomedian', values);
  assertConfidence('pseudomedian', confidence);
  const [n, depth] = [values.length, signedRankCriticalDepth(values.length, 1 - confidence)];
  return estimateOf((n * (n + 1)) / 2, depth, (places) => walshAveragesAt(values, places));
}

/**
 * The Hodges–Lehmann estimate of how far the first sample lies above the second: the median of all differences xᵢ − yⱼ, and the
 * interval of the shifts that the Mann–Whitney test does not reject (§4.2–4.3 of the same book). For samples that are not
 * paired. R: `wilcox.test(x, y, conf.int = TRUE)`.
 *
 * @param x and
 * @param y in the same unit, which is the estimate's.
 * @param confidence of the interval, in (0, 1); default 0.95, for which two samples of 3 have no interval.
 * @throws RangeError on an empty sample, on a value that is not finite, on a confidence outside (0, 1).
 */
export function hodgesLehmannShift(x: readonly number[], y: readonly number[], confidence = 0.95): LocationEstimate {
  assertSample('shift: first sample', x);
  assertSample('shift: second sample', y);
  assertConfidence('shift', confidence);
  const depth = rankSumCriticalDepth(x.length, y.length, 1 - confidence);
  return estimateOf(x.length * y.length, depth, (places) => differencesAt(x, y, places));
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

/** @param depth the interval goes from the depth-th smallest to the depth-th largest value; 0: there is none. */
function estimateOf(count: number, depth: number, valuesAt: (places: number[]) => number[]): LocationEstimate {
  // Of an even number the two in the middle.
  const middle = count % 2 === 1 ? [(count - 1) / 2] : [count / 2 - 1, count / 2];
  const ends = depth === 0 ? [] : [depth - 1, count - depth];
  const found = valuesAt([...middle, ...ends]);
  const [below = 0, above = below] = found.slice(0, middle.length);
  const [low, high] = found.slice(middle.length);
  return {
    estimate: middle.length === 1 ? below : (below + above) / 2,
    interval: low === undefined || high === undefined ? null : { low, high },
  };
}

function assertConfidence(what: string, confidence: number): void {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`${what}: confidence is ${confidence}, expected a number in (0, 1)`);
}
