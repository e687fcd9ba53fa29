import { betaQuantile, binomialCdf, binomialSurvival, normalQuantile } from '../../math/probability.ts';
import type { Level } from './level.ts';

const ofPower = 0.8;

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
    fewest: (side, alpha, limit) => {
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
      // A share of 0 or 1 is never shown to be exactly so.
      const seen = (failed + 0.5) / (n + 1);
      if (t <= 0 || t >= 1 || seen === t) return null;
      const level = seen < t ? alpha.atMost : alpha.above;
      const spread = -normalQuantile(level) * Math.sqrt(t * (1 - t)) + normalQuantile(ofPower) * Math.sqrt(seen * (1 - seen));
      const fewest = seen < t ? Math.log(level) / Math.log(1 - t) : Math.log(level) / Math.log(t);
      return Math.ceil(Math.max(fewest, (spread / (seen - t)) ** 2));
    },
  };
}
