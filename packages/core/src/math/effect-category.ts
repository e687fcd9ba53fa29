// Words for sizes of effects. They help to read a number and do not replace it.

export type EffectCategory = 'negligible' | 'small' | 'medium' | 'large';

/**
 * The category of a rank-biserial correlation, of either sign: below 0.1 negligible, below 0.3 small, below 0.5 medium, else
 * large. The thresholds are Cohen's for correlations, Statistical Power Analysis for the Behavioral Sciences, 2nd ed. (1988),
 * §3.2; 0.3, from which Zahra & Ardiansyah call an effect practically significant, is where medium begins.
 *
 * @throws RangeError on a number outside [−1, 1].
 */
export function rankBiserialCategory(r: number): EffectCategory {
  return categoryOf('rank-biserial correlation', r, [0.1, 0.3, 0.5]);
}

/**
 * The category of Cliff's delta, of either sign: below 0.147 negligible, below 0.33 small, below 0.474 medium, else large.
 * The thresholds are Cohen's d = 0.2, 0.5 and 0.8 turned into overlaps of normal distributions, by Romano, Kromrey, Coraggio &
 * Skowronek, "Appropriate statistics for ordinal level data", Florida Association of Institutional Research (2006).
 *
 * @throws RangeError on a number outside [−1, 1].
 */
export function cliffsDeltaCategory(delta: number): EffectCategory {
  return categoryOf('Cliff’s delta', delta, [0.147, 0.33, 0.474]);
}

function categoryOf(what: string, effect: number, [small, medium, large]: [small: number, medium: number, large: number]): EffectCategory {
  const size = Math.abs(effect);
  if (!(size <= 1)) throw new RangeError(`${what} is ${effect}, expected a number in [-1, 1]`);
  if (size < small) return 'negligible';
  if (size < medium) return 'small';
  return size < large ? 'medium' : 'large';
}
