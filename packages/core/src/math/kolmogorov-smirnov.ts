import { kolmogorovSurvival, smirnovSurvival } from './probability.ts';
import { assertSample } from './sample.ts';

/** Up to this many values the null distribution is computed, in up to 20 ms. */
const exactUpTo = 1000;

type UniformityTest = {
  /** D: the largest distance between the sample's distribution function and the uniform one. */
  statistic: number;
  p: number;
  n: number;
  method: 'exact' | 'asymptotic';
};

/**
 * One-sample Kolmogorov–Smirnov test: are the values uniform on [0, 1]? For the p-values of A/A campaigns, which should be right at every
 * level. p-values of an exact test take few values and are never quite uniform: those of `signedRankTest` rise in steps of up to 0.19 with
 * 5 rounds, 0.08 with 10, 0.03 with 20, 0.008 with 50, 0.003 with 100, and D tends to the largest step. A rejection is news only if that
 * step is small against 1.36 ÷ √n; otherwise test randomised p-values.
 *
 * Exact up to n = 1000: Marsaglia, Tsang & Wang, "Evaluating Kolmogorov's Distribution", Journal of Statistical Software 8
 * (2003); where n D² ≥ 4 twice the one-sided probability, which is then the same to a relative 1e-10. Beyond, Kolmogorov's limit at
 * the statistic corrected for n by Vrbik, "Small-Sample Corrections to Kolmogorov–Smirnov Test Statistic", Pioneer Journal of
 * Theoretical and Applied Statistics 15 (2018): right to 2e-5.
 *
 * @param values in any order.
 * @throws RangeError on an empty sample and on a value outside [0, 1].
 */
export function uniformityTest(values: readonly number[]): UniformityTest {
  assertSample('uniformity test', values);
  const outside = values.findIndex((value) => value < 0 || value > 1);
  if (outside !== -1) throw new RangeError(`uniformity test: value ${outside} is ${values[outside]}, expected a number in [0, 1]`);
  const n = values.length;
  const statistic = values
    .toSorted((a, b) => a - b)
    .reduce((largest, value, i) => Math.max(largest, (i + 1) / n - value, value - i / n), 0);
  const exact = n <= exactUpTo;
  const p = exact ? exactSurvival(n, statistic) : asymptoticSurvival(n, statistic);
  return { statistic, p: Math.min(1, Math.max(0, p)), n, method: exact ? 'exact' : 'asymptotic' };
}

/** P(D ≥ d). */
function exactSurvival(n: number, d: number): number {
  return n * d ** 2 >= 4 ? 2 * smirnovSurvival(n, d) : 1 - exactCdf(n, d);
}

/**
 * P(D < d) = n! ÷ nⁿ times the middle element of the nth power of a matrix H. Only the middle row of the powers is needed:
 * n products of a row with H. Each is divided by e, which keeps it of the size of 1, as nⁿ ÷ n! grows by e.
 */
function exactCdf(n: number, d: number): number {
  const k = Math.floor(n * d) + 1;
  const matrix = marsagliaMatrix(k, k - n * d);
  const size = matrix.length;
  let row = new Float64Array(size);
  row[k - 1] = 1;
  let logarithm = 0;
  for (let power = 1; power <= n; power++) {
    const next = new Float64Array(size);
    for (const [i, of] of matrix.entries()) {
      const share = (row[i] as number) / Math.E;
      // Row i has nothing right of the first superdiagonal.
      for (let j = Math.min(i + 1, size - 1); j >= 0; j--) next[j] = (next[j] as number) + share * (of[j] as number);
    }
    row = next;
    logarithm += Math.log(power / n) + 1;
  }
  return (row[k - 1] as number) * Math.exp(logarithm);
}

/** H of the paper, with k and h as there: 2k − 1 rows. */
function marsagliaMatrix(k: number, h: number): Float64Array[] {
  const size = 2 * k - 1;
  const factorials = Float64Array.from({ length: size + 1 });
  factorials[0] = 1;
  for (let i = 1; i <= size; i++) factorials[i] = (factorials[i - 1] as number) * i;
  const factorial = (i: number) => factorials[i] as number;
  return Array.from({ length: size }, (_, i) =>
    Float64Array.from({ length: size }, (_, j) => {
      if (j > i + 1) return 0;
      const fromLeft = j === 0 ? h ** (i + 1) : 0;
      const fromBelow = i === size - 1 ? h ** (size - j) : 0;
      const both = i === size - 1 && j === 0 ? Math.max(0, 2 * h - 1) ** size : 0;
      return (1 - fromLeft - fromBelow + both) / factorial(i - j + 1);
    }),
  );
}

function asymptoticSurvival(n: number, d: number): number {
  const x = Math.sqrt(n) * d;
  return kolmogorovSurvival(x + 1 / (6 * Math.sqrt(n)) + (x - 1) / (4 * n));
}
