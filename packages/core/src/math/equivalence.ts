import { type Interval, pseudomedian } from './hodges-lehmann.ts';

export type Equivalence = Interval & {
  /** The interval [low, high] of the pseudomedian of the log-ratios lies inside ±ln(1 + margin). */
  equivalent: boolean;
  /** As asked for: 0.05 for 5 %. */
  margin: number;
  /** Of the interval: 1 − 2 alpha. */
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
 * @param logRatios ln(h3 ÷ h2), one for each round; ±∞ where one of them failed, NaN where both did, which speaks against equivalence on
 *   either side: two that never load are not alike.
 * @param options.margin the largest relative difference that counts as none, > 0; default 0.05.
 * @param options.alpha the level of each one-sided test, in (0, 0.5); default 0.05.
 * @returns null where too few rounds can reach the confidence: fewer than 5 at the default alpha. low and high are logarithms; ±∞ where there is no end.
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
