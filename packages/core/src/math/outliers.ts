import { quantileSorted } from 'simple-statistics';
import { assertSample } from './sample.ts';

export type Outlier = {
  /** Of the value in the sample as it was given. */
  index: number;
  side: 'low' | 'high';
};

export type Outliers = {
  /** Values outside [low, high] are marked; in the unit of the sample. Null: too few values for fences. */
  fences: { low: number; high: number } | null;
  /** In the order of the sample. */
  outliers: Outlier[];
};

/** The quartiles of fewer are interpolated from the smallest and the largest value: from what they shall judge. */
const fewest = 5;

/**
 * Which values lie outside Tukey's inner fences, 1.5 interquartile ranges beyond the quartiles (Tukey, "Exploratory Data
 * Analysis", 1977, §2C; quartiles by definition 7 as everywhere here). They are marked for the eye and stay in every statistic.
 *
 * Fences rather than distances from the median in units of the median absolute deviation (Iglewicz & Hoaglin 1993): where a
 * third of the visits is one round trip later, that deviation measures one mode, and the other would be marked as a whole.
 *
 * Fences mark values of clean samples too: in a third of normal samples of 5 to 20 values, and of log-normal ones (σ 0.5) in
 * 38 % of 5, 42 % of 10 and 61 % of 20. A mark says "look here", not "wrong".
 * Where more than half of the values are equal the fences may lie on them, and every other value is outside.
 *
 * @param sample in any order; fewer than 5 values have no fences and no outliers.
 * @throws RangeError on an empty sample and on a value that is not finite.
 */
export function markOutliers(sample: readonly number[]): Outliers {
  assertSample('outliers', sample);
  if (sample.length < fewest) return { fences: null, outliers: [] };
  const sorted = sample.toSorted((a, b) => a - b);
  const [lower, upper] = [quantileSorted(sorted, 0.25), quantileSorted(sorted, 0.75)];
  const reach = 1.5 * (upper - lower);
  const fences = { low: lower - reach, high: upper + reach };
  const outliers = sample.flatMap((value, index): Outlier[] => {
    if (value < fences.low) return [{ index, side: 'low' }];
    return value > fences.high ? [{ index, side: 'high' }] : [];
  });
  return { fences, outliers };
}
