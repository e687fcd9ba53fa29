import { randomSource, shuffle } from './random.ts';
import { assertSample } from './sample.ts';

export type Autocorrelation = {
  /** Σ(xₜ − x̄)(xₜ₊₁ − x̄) ÷ Σ(xₜ − x̄)²; about −1/n where values are independent. */
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
 * @returns null where all values are equal, and for fewer than 3.
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
  // Orders that give the same sum, but added up differently, are as far.
  const distance = Math.abs(coefficient + 1 / n) - 1e-12;
  const random = randomSource(seed);
  let asFar = 0;
  for (let i = 0; i < resamples; i++) if (Math.abs(of(shuffle(centred, random)) + 1 / n) >= distance) asFar++;
  return { coefficient, p: (asFar + 1) / (resamples + 1) };
}
