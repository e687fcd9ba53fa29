import { type RandomSource, randomSource } from '../random.ts';
import { assertSample } from './sample.ts';

/** Up to so many differences all 2ⁿ sign patterns are counted. */
const exactUpTo = 12;

export type PermutationTest = {
  /** Two-sided. */
  p: number;
  /** The mean difference, in the unit of the differences. */
  meanDifference: number;
  method: 'exact' | 'monte-carlo';
  /** Sign patterns looked at. */
  patterns: number;
};

/**
 * Two-sided permutation test on paired differences: is their mean 0?
 *
 * A round is a block: its visits ran back to back, in random order. If the protocol (or, in A/A, the slot) makes no
 * difference, each round's difference could as well have had the other sign; that, and nothing about distributions, is all the
 * test assumes (Fisher 1935, §21; Pitman 1937). p is the share of sign patterns whose mean is at least as far from 0 as the
 * one that was seen. Up to 12 differences all 2ⁿ patterns are counted. Beyond, `resamples` random ones are, and
 * p = (b + 1) ÷ (m + 1), never 0, by Phipson & Smyth, "Permutation P-values should never be zero", Statistical Applications in
 * Genetics and Molecular Biology 9 (2010). With n differences p is never below 2 ÷ 2ⁿ: fewer than 6 cannot reach 0.05.
 *
 * @param differences one for each round, such as onLoad of slot 1 less onLoad of slot 0.
 * @param options.seed decides the random patterns; not used by the exact count.
 * @param options.resamples default 9999.
 * @throws RangeError on an empty sample, on a value that is not finite, on resamples that are no positive integer.
 */
export function permutationTest(differences: readonly number[], options: { seed: number; resamples?: number }): PermutationTest {
  assertSample('permutation test', differences);
  const { seed, resamples = 9999 } = options;
  if (!Number.isInteger(resamples) || resamples < 1) throw new RangeError(`resamples is ${resamples}, expected a positive integer`);
  const sum = differences.reduce((total, difference) => total + difference, 0);
  // Patterns with the same sum as seen, but added up in another order, must count as equal to it.
  const tolerance = 1e-12 * differences.reduce((total, difference) => total + Math.abs(difference), 0);
  const extreme = Math.abs(sum) - tolerance;
  const meanDifference = sum / differences.length;

  if (differences.length <= exactUpTo) {
    const patterns = 2 ** differences.length;
    return { p: exactCount(differences, extreme) / patterns, meanDifference, method: 'exact', patterns };
  }
  const asExtreme = randomCount(differences, extreme, resamples, randomSource(seed));
  return { p: (asExtreme + 1) / (resamples + 1), meanDifference, method: 'monte-carlo', patterns: resamples };
}

/** Of all sign patterns, how many have a sum at least so far from 0. */
function exactCount(differences: readonly number[], extreme: number): number {
  let count = 0;
  for (let pattern = 0; pattern < 2 ** differences.length; pattern++) {
    const sum = differences.reduce((total, difference, bit) => total + (pattern & (1 << bit) ? -difference : difference), 0);
    if (Math.abs(sum) >= extreme) count++;
  }
  return count;
}

/** The same of `resamples` random sign patterns. */
function randomCount(differences: readonly number[], extreme: number, resamples: number, random: RandomSource): number {
  let count = 0;
  for (let i = 0; i < resamples; i++) {
    let sum = 0;
    for (const difference of differences) sum += random() < 0.5 ? -difference : difference;
    if (Math.abs(sum) >= extreme) count++;
  }
  return count;
}
