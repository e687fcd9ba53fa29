import { betaQuantile, binomialCdf } from './probability.ts';

export type Proportion = { share: number; low: number; high: number };

/**
 * A proportion with its exact interval: Clopper & Pearson, "The Use of Confidence or Fiducial Limits", Biometrika 26 (1934), by
 * quantiles of the beta distribution. Its coverage is at least the requested confidence, whatever the true proportion. The same
 * as R's `binom.test`.
 *
 * @param successes an integer from 0 to n; @param n a positive integer; @param confidence in (0, 1).
 * @throws RangeError on others.
 */
export function proportion(successes: number, n: number, confidence = 0.95): Proportion {
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`proportion: n is ${n}, expected a positive integer`);
  if (!Number.isInteger(successes) || successes < 0 || successes > n) {
    throw new RangeError(`proportion: successes is ${successes}, expected an integer from 0 to ${n}`);
  }
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`proportion: confidence is ${confidence}, expected a number in (0, 1)`);
  const outside = (1 - confidence) / 2;
  return {
    share: successes / n,
    low: successes === 0 ? 0 : betaQuantile(outside, successes, n - successes + 1),
    high: successes === n ? 1 : betaQuantile(1 - outside, successes + 1, n - successes),
  };
}

/**
 * The exact two-sided sign test of rounds that went to one of two sides; null if there are none.
 */
export function signTestP(one: number, other: number): number | null {
  const rounds = one + other;
  return rounds === 0 ? null : Math.min(1, 2 * binomialCdf(Math.min(one, other), rounds, 0.5));
}
