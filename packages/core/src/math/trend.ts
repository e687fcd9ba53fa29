import { quickselect } from 'simple-statistics';
import { normalCdf } from './probability.ts';
import { midranks, tieSum } from './ranks.ts';
import { assertOrdered } from './sample.ts';

export type Trend = {
  /** Kendall's τ-b of value and place, in [−1, 1]; positive where later values are larger. */
  tau: number;
  /** Two-sided. */
  p: number;
  /** Theil–Sen: the median of the slopes of all pairs, in the unit of the values for each step. */
  slope: number;
};

/**
 * Mann–Kendall test: do values grow or shrink over time, in whatever shape? (Mann, "Nonparametric Tests Against Trend", Econometrica
 * 13, 1945; Kendall, Rank Correlation Methods, 1955.) Normal with the correction for ties and for continuity, good from 10 values on: R's
 * `cor.test(time, values, method = 'kendall', exact = FALSE, continuity = TRUE)`. The slope is that of Sen, "Estimates of the Regression
 * Coefficient Based on Kendall's Tau", JASA 63 (1968). O(n²).
 *
 * It takes values as independent: ones that wander without aim also look like a trend to it.
 *
 * @param values at equal steps of time, in their order.
 * @returns null where all values are equal, and for fewer than 3.
 * @throws RangeError on an empty sample and on NaN. ±∞ are the largest and smallest values; the slope may be ±∞ then.
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
      // Of two that are ∞ the difference is no number.
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

/** Puts the values into another order. */
function medianOf(values: Float64Array): number {
  const at = (place: number): number => {
    quickselect(values as unknown as number[], place);
    return values[place] as number;
  };
  const upper = at(values.length >> 1);
  const lower = values.length % 2 === 1 ? upper : at((values.length >> 1) - 1);
  return lower === upper ? upper : lower === -upper ? 0 : (lower + upper) / 2;
}
