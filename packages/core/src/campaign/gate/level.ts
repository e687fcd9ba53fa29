// The level of a statistic of a sample, with its uncertainty: everything that gates decide by.
import { betaQuantile, binomialCdf, binomialSurvival, normalQuantile, studentTCdf, studentTQuantile } from '../../math/probability.ts';
import { quantile } from '../../math/quantile.ts';
import { assertSample } from '../../math/sample.ts';

/**
 * The level of the sample's distribution. Each p-value is the probability of a sample that says so as clearly although the contrary is true.
 */
export interface Level {
  /** The sample's own; ∞ if it lies among failed loads. */
  value: number;
  /** The largest finite value of the sample. */
  largest: number;
  /** With fewer values no sample could show that it is at most, or at least, the limit. */
  minValues(side: 'max' | 'min', alpha: number, limit: number): number;
  /** p-value of the claim that it is at most t. */
  atMost(t: number): number;
  above(t: number): number;
  atLeast(t: number): number;
  below(t: number): number;
  /** Lower bound at confidence 1 − alpha; null: too few values. ∞: it lies among failed loads. */
  low(alpha: number): number | null;
  high(alpha: number): number | null;
  /**
   * About how many values in all show on which side of t it lies, with a power of 80 %, if later values are like the known ones; null: unknown.
   */
  valuesToDecide(t: number, alpha: { atMost: number; above: number }): number | null;
}

/** @param statistic mean, median or a percentile such as p75. @throws RangeError as these; of a mean also where a load failed. */
export function levelOf(statistic: string, values: readonly number[]): Level {
  return statistic === 'mean' ? meanLevel(values) : quantileLevel(values, quantileOf(statistic));
}

/** 0.75 for p75. */
const quantileOf = (statistic: string): number => (statistic === 'median' ? 0.5 : Number(statistic.slice(1)) / 100);

const ofPower = 0.8;

/**
 * A quantile, without any assumption about the distribution but that the values are independent draws of it: how many of n values lie at or
 * below the true p-quantile is binomial (n, p). So the number at or below t, compared with that distribution, is an exact test of
 * whether the quantile is above t (the sign test), and order statistics bound it (Conover, Practical Nonparametric Statistics, 3rd
 * ed., §3.1–3.2; Hahn & Meeker, Statistical Intervals, §5.2). Ties make it err on the safe side.
 *
 * A failed load is above every limit: only the side on which a value lies matters.
 *
 * @param p in (0, 1). @throws RangeError on an empty sample and on NaN.
 */
export function quantileLevel(values: readonly number[], p: number): Level {
  const value = quantile(values, p);
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  const upTo = (t: number) => firstAbove(sorted, t);
  const under = (t: number) => firstNotBelow(sorted, t);
  return {
    value,
    largest: sorted[upTo(Number.MAX_VALUE) - 1] ?? 0,
    minValues: (side, alpha) => Math.ceil(Math.log(alpha) / Math.log(side === 'max' ? p : 1 - p) - 1e-9),
    atMost: (t) => binomialSurvival(upTo(t), n, p),
    above: (t) => binomialCdf(upTo(t), n, p),
    atLeast: (t) => binomialCdf(under(t), n, p),
    below: (t) => binomialSurvival(under(t), n, p),
    // The largest k with P(X ≤ k − 1) ≤ alpha, and the smallest with P(X ≥ k) ≤ alpha; the kth value.
    low: (alpha) => sorted[lastWhere(n, (k) => binomialCdf(k - 1, n, p) <= alpha) - 1] ?? null,
    high: (alpha) => sorted[n - lastWhere(n, (fromEnd) => binomialSurvival(n + 1 - fromEnd, n, p) <= alpha)] ?? null,
    valuesToDecide: (t, alpha) => {
      const share = (upTo(t) + 0.5) / (n + 1);
      if (share === p) return null;
      return share > p ? signTestSize(p, share, alpha.atMost) : signTestSize(1 - p, 1 - share, alpha.above);
    },
  };
}

/**
 * How many values the sign test needs to show, with the power, that a share is above p, if it is `share`: by the normal approximation
 * (Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, 3rd ed., §2.3), then increased until the exact test agrees.
 */
function signTestSize(p: number, share: number, level: number): number {
  const spread = -normalQuantile(level) * Math.sqrt(p * (1 - p)) + normalQuantile(ofPower) * Math.sqrt(share * (1 - share));
  let n = Math.max(Math.ceil(Math.log(level) / Math.log(p) - 1e-9), Math.ceil((spread / (share - p)) ** 2));
  // Thousands are near enough.
  while (n < 5000) {
    const critical = n + 1 - lastWhere(n, (fromEnd) => binomialSurvival(n + 1 - fromEnd, n, p) <= level);
    if (binomialSurvival(critical, n, share) >= ofPower) break;
    n += Math.max(1, n >> 5);
  }
  return n;
}

/** The number of ascending values that are at most t. */
const firstAbove = (sorted: Float64Array, t: number) => lastWhere(sorted.length, (k) => (sorted[k - 1] as number) <= t);
const firstNotBelow = (sorted: Float64Array, t: number) => lastWhere(sorted.length, (k) => (sorted[k - 1] as number) < t);

/** The largest k in 1…n for which it holds; 0: for none. It holds up to some k and not beyond. */
function lastWhere(n: number, holds: (k: number) => boolean): number {
  let [known, beyond] = [0, n + 1];
  while (beyond - known > 1) {
    const middle = (known + beyond) >> 1;
    if (holds(middle)) known = middle;
    else beyond = middle;
  }
  return known;
}

/** A mean depends on the tails, and fewer values say little about them. */
const minForMean = 30;

/**
 * A mean, by Student's t with the skewness taken out: load times are skewed to the right, and by t alone an upper bound of their mean is
 * too low too often. Hall's cubic transformation g(T) = T + γT²/(3√n) + γ²T³/(27n) + γ/(6√n) is monotone and leaves an error of order
 * 1/n (Hall, "On the Removal of Skewness by Transformation", JRSS B 54, 1992). It stays an approximation, by simulation of lognormal
 * times wrong in 5.4 % instead of 5 % at a spread of 30 % and in 7 % at 60 %; a percentile needs none. Nothing is said of fewer than 30 values.
 *
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
function meanLevel(values: readonly number[]): Level {
  assertSample('mean', values);
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const moment = (power: number) => values.reduce((sum, value) => sum + (value - mean) ** power, 0) / n;
  const deviation = Math.sqrt((moment(2) * n) / Math.max(1, n - 1));
  // Rounding errors of equal values are no spread.
  const spread = deviation <= 1e-12 * Math.abs(mean) ? 0 : deviation / Math.sqrt(n);
  // Corrected for the bias of small samples (Joanes & Gill, The Statistician 47, 1998): G₁.
  const skew = spread === 0 ? 0 : (moment(3) / moment(2) ** 1.5) * (Math.sqrt(n * (n - 1)) / (n - 2));
  const root = Math.sqrt(n);

  /** P of a sample whose mean is this low, if the true mean is t. */
  const lower = (t: number): number => {
    if (n < minForMean) return 1;
    if (spread === 0) return mean < t ? 0 : 1;
    const T = (mean - t) / spread;
    const u = (skew * T) / (3 * root);
    const g = Math.abs(skew) < 1e-9 ? T : (root / skew) * ((1 + u) ** 3 - 1) + skew / (6 * root);
    return studentTCdf(g, n - 1);
  };
  const upper = (t: number): number => {
    if (n < minForMean) return 1;
    return spread === 0 ? (mean > t ? 0 : 1) : 1 - lower(t);
  };
  /** The t at which `lower` is p. */
  const where = (p: number): number | null => {
    if (n < minForMean) return null;
    if (spread === 0) return mean;
    const q = studentTQuantile(p, n - 1);
    const T = Math.abs(skew) < 1e-9 ? q : ((3 * root) / skew) * (Math.cbrt(1 + (skew / root) * (q - skew / (6 * root))) - 1);
    return mean - spread * T;
  };
  // If all values equal the limit, the limit holds.
  const same = (t: number) => spread === 0 && n >= minForMean && mean === t;
  return {
    value: mean,
    largest: mean,
    minValues: () => minForMean,
    atMost: (t) => (same(t) ? 0 : lower(t)),
    above: (t) => upper(t),
    atLeast: (t) => (same(t) ? 0 : upper(t)),
    below: (t) => lower(t),
    low: (alpha) => where(1 - alpha),
    high: (alpha) => where(alpha),
    valuesToDecide: (t, alpha) => {
      if (mean === t) return null;
      if (n < minForMean) return minForMean;
      const level = mean < t ? alpha.atMost : alpha.above;
      const needed = ((-normalQuantile(level) + normalQuantile(ofPower)) * deviation) / (mean - t);
      return Math.max(minForMean, Math.ceil(needed ** 2));
    },
  };
}

/**
 * The share of loads that fail, exact: of n loads their number is binomial. Bounds by Clopper & Pearson, "The Use of Confidence or Fiducial
 * Limits", Biometrika 26 (1934), one-sided.
 *
 * @param failures 1 failed, 0 loaded; at least one.
 */
export function shareLevel(failures: readonly number[]): Level {
  const n = failures.length;
  const failed = failures.reduce((sum, one) => sum + one, 0);
  const share = failed / n;
  return {
    value: share,
    largest: share,
    // Without any failure, (1 − limit)ⁿ ≤ alpha; with nothing but failures, limitⁿ ≤ alpha.
    minValues: (side, alpha, limit) => {
      const chance = side === 'max' ? 1 - limit : limit;
      if (chance >= 1) return Number.POSITIVE_INFINITY;
      return chance <= 0 ? 1 : Math.ceil(Math.log(alpha) / Math.log(chance) - 1e-9);
    },
    // All are at most 1, and at least 0.
    atMost: (t) => (t >= 1 ? 0 : t < 0 ? 1 : binomialCdf(failed, n, t)),
    above: (t) => (t >= 1 ? 1 : t < 0 ? 0 : binomialSurvival(failed, n, t)),
    atLeast: (t) => (t <= 0 ? 0 : t > 1 ? 1 : binomialSurvival(failed, n, t)),
    below: (t) => (t <= 0 ? 1 : t > 1 ? 0 : binomialCdf(failed, n, t)),
    low: (alpha) => (failed === 0 ? 0 : betaQuantile(alpha, failed, n - failed + 1)),
    high: (alpha) => (failed === n ? 1 : betaQuantile(1 - alpha, failed + 1, n - failed)),
    valuesToDecide: (t, alpha) => {
      // A share of 0 or 1 can never be shown exactly.
      const seen = (failed + 0.5) / (n + 1);
      if (t <= 0 || t >= 1 || seen === t) return null;
      const level = seen < t ? alpha.atMost : alpha.above;
      const spread = -normalQuantile(level) * Math.sqrt(t * (1 - t)) + normalQuantile(ofPower) * Math.sqrt(seen * (1 - seen));
      const values = seen < t ? Math.log(level) / Math.log(1 - t) : Math.log(level) / Math.log(t);
      return Math.ceil(Math.max(values, (spread / (seen - t)) ** 2));
    },
  };
}
