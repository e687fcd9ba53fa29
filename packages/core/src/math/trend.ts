import { quickselect } from 'simple-statistics';
import { normalCdf } from './probability.ts';
import { randomSource, shuffle } from './random.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered, assertSample } from './sample.ts';

type Trend = {
  /** Kendall's τ-b of value and index, in [−1, 1]; positive if later values are larger. */
  tau: number;
  /** Two-sided. */
  p: number;
  /** Theil–Sen: the median of the slopes of all pairs, in the unit of the values per step. */
  slope: number;
};

/**
 * Mann–Kendall test: do values grow or shrink over time, in whatever shape? (Mann, "Nonparametric Tests Against Trend", Econometrica
 * 13, 1945; Kendall, Rank Correlation Methods, 1955.) Normal with the correction for ties and for continuity, good from 10 values on: R's
 * `cor.test(time, values, method = 'kendall', exact = FALSE, continuity = TRUE)`. The slope is that of Sen, "Estimates of the Regression
 * Coefficient Based on Kendall's Tau", JASA 63 (1968). O(n²).
 *
 * It treats values as independent: a random walk also looks like a trend to it.
 *
 * @param values at equal steps of time, in their order.
 * @returns null if all values are equal, and for fewer than 3.
 * @throws RangeError on an empty sample and on NaN. ±∞ are the largest and smallest values; the slope may then be ±∞.
 */
export function trend(values: readonly number[]): Trend | null {
  assertOrdered('trend', values);
  const n = values.length;
  const pairs = (n * (n - 1)) / 2;
  const { ties } = midranks(values);
  const tied = ties.reduce((sum, t) => sum + (t * (t - 1)) / 2, 0);
  if (n < 3 || tied === pairs) return null;
  const slopes = new Float64Array(pairs);
  let [score, place] = [0, 0];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const [later, earlier] = [values[j] as number, values[i] as number];
      // The difference of two infinite values is NaN.
      const growth = later === earlier ? 0 : later - earlier;
      score += Math.sign(growth);
      slopes[place++] = growth / (j - i);
    }
  }
  // n(n − 1)(2n + 5) − Σ t(t − 1)(2t + 5), over 18, where x(x − 1)(2x + 5) = 2(x³ − x) + 3x(x − 1).
  const variance = (2 * (n ** 3 - n - tieSum(ties)) + 6 * (pairs - tied)) / 18;
  const z = Math.max(0, Math.abs(score) - 1) / Math.sqrt(variance);
  return { tau: score / Math.sqrt(pairs * (pairs - tied)), p: Math.min(1, 2 * normalCdf(-z)), slope: medianOf(slopes) };
}

/** Reorders the values. */
function medianOf(values: Float64Array): number {
  const at = (place: number): number => {
    quickselect(values as unknown as number[], place);
    return values[place] as number;
  };
  const upper = at(values.length >> 1);
  const lower = values.length % 2 === 1 ? upper : at((values.length >> 1) - 1);
  return lower === upper ? upper : lower === -upper ? 0 : (lower + upper) / 2;
}

type Autocorrelation = {
  /** Σ(xₜ − x̄)(xₜ₊₁ − x̄) ÷ Σ(xₜ − x̄)²; about −1/n if values are independent. */
  coefficient: number;
  /** Two-sided. */
  p: number;
};

/**
 * Correlation of neighbouring values, lag 1 (Box, Jenkins & Reinsel, Time Series Analysis, §2.1; R's `acf`), and how often values in
 * random order have one as far from −1/n, its mean over all orders: a permutation test (Wald & Wolfowitz, "An Exact Test for
 * Randomness in the Non-Parametric Case Based on Serial Correlation", Annals of Mathematical Statistics 14, 1943), which needs no distribution,
 * where the usual bound of 1.96 ÷ √n does. p = (b + 1) ÷ (m + 1) of m random orders (Phipson & Smyth 2010).
 *
 * @param values at equal steps of time, in their order.
 * @param options.seed decides the orders. @param options.resamples m; default 1,999.
 * @returns null if all values are equal, and for fewer than 3.
 * @throws RangeError on an empty sample, on a value that is not finite, on resamples that are no positive integer.
 */
export function autocorrelation(values: readonly number[], options: { seed: number; resamples?: number }): Autocorrelation | null {
  assertSample('autocorrelation', values);
  const { seed, resamples = 1999 } = options;
  if (!Number.isInteger(resamples) || resamples < 1) {
    throw new RangeError(`autocorrelation: resamples is ${resamples}, expected a positive integer`);
  }
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value / n, 0);
  const centred = values.map((value) => value - mean);
  const squares = centred.reduce((sum, value) => sum + value ** 2, 0);
  if (n < 3 || values.every((value) => value === values[0])) return null;
  const of = (ordered: readonly number[]) => {
    let products = 0;
    for (let i = 1; i < n; i++) products += (ordered[i - 1] as number) * (ordered[i] as number);
    return products / squares;
  };
  const coefficient = of(centred);
  // Orders with the same sum, but added up differently, are as far.
  const distance = Math.abs(coefficient + 1 / n) - 1e-12;
  const random = randomSource(seed);
  let asFar = 0;
  for (let i = 0; i < resamples; i++) if (Math.abs(of(shuffle(centred, random)) + 1 / n) >= distance) asFar++;
  return { coefficient, p: (asFar + 1) / (resamples + 1) };
}
