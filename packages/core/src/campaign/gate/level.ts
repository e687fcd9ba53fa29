// Where a statistic of a sample lies, and how sure the sample makes one of it: all that gates decide by.
import { binomialCdf, binomialSurvival, normalQuantile } from '../../math/probability.ts';
import { quantile } from '../../math/quantile.ts';
import { meanLevel } from './mean-level.ts';

/**
 * Of the distribution that a sample is of. Each p-value is the chance to see a sample that says so as clearly, if the contrary is true.
 */
export interface Level {
  /** Of the sample; ∞ where it lies among loads that failed. */
  value: number;
  /** No finite value of the sample is above. */
  largest: number;
  /** Of fewer values no sample could show that it is at most, or at least, the limit. */
  fewest(side: 'max' | 'min', alpha: number, limit: number): number;
  /** p-value of: it is at most t. */
  atMost(t: number): number;
  above(t: number): number;
  atLeast(t: number): number;
  below(t: number): number;
  /** It is not below this, at confidence 1 − alpha; null: too few values. ∞: it is among loads that failed. */
  low(alpha: number): number | null;
  high(alpha: number): number | null;
  /**
   * About how many values in all show on which side of t it lies, with a power of 80 %, if those to come are like those seen; null: nobody
   * can say.
   */
  valuesToDecide(t: number, alpha: { atMost: number; above: number }): number | null;
}

/** @param statistic mean, median or a percentile such as p75. @throws RangeError as these; of a mean also where a load failed. */
export function levelOf(statistic: string, values: readonly number[]): Level {
  return statistic === 'mean' ? meanLevel(values) : quantileLevel(values, quantileOf(statistic));
}

/** 0.75 of p75. */
const quantileOf = (statistic: string): number => (statistic === 'median' ? 0.5 : Number(statistic.slice(1)) / 100);

const ofPower = 0.8;

/**
 * A quantile, without any assumption about the distribution but that the values are independent draws of it: how many of n values lie at or
 * below the true p-quantile is binomial (n, p). So the number at or below t, held against that distribution, is an exact test of
 * whether the quantile is above t (the sign test), and order statistics bound it (Conover, Practical Nonparametric Statistics, 3rd
 * ed., §3.1–3.2; Hahn & Meeker, Statistical Intervals, §5.2). Ties make it err on the safe side.
 *
 * A load that failed is above every limit: all that is asked of a value is on which side it lies.
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
    fewest: (side, alpha) => Math.ceil(Math.log(alpha) / Math.log(side === 'max' ? p : 1 - p) - 1e-9),
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
 * How many values the sign test takes to show, with the power, that a share is above p, if it is `share`: by the normal approximation
 * (Fleiss, Levin & Paik, Statistical Methods for Rates and Proportions, 3rd ed., §2.3), from there on to where the exact test has it.
 */
function signTestSize(p: number, share: number, level: number): number {
  const spread = -normalQuantile(level) * Math.sqrt(p * (1 - p)) + normalQuantile(ofPower) * Math.sqrt(share * (1 - share));
  let n = Math.max(Math.ceil(Math.log(level) / Math.log(p) - 1e-9), Math.ceil((spread / (share - p)) ** 2));
  // Of thousands it is near enough.
  while (n < 5000) {
    const critical = n + 1 - lastWhere(n, (fromEnd) => binomialSurvival(n + 1 - fromEnd, n, p) <= level);
    if (binomialSurvival(critical, n, share) >= ofPower) break;
    n += Math.max(1, n >> 5);
  }
  return n;
}

/** How many values of ascending ones are at most t. */
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
