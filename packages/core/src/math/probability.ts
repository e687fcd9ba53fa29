// Probabilities and quantiles by Moshier's Cephes library. Against mpmath they are right to a relative 1e-12; the beta quantile to
// 1e-11 at a + b = 5000, and binomial tails to 1e-10 at n = 1000, limited by the logarithm of gamma.
/// <reference path="./cephes.d.ts" />
import { bdtr, bdtrc, chdtrc, compiled, erfc, incbet, incbi, kolmogorov, ndtri, smirnov, stdtr, stdtri } from 'cephes';

await compiled;

/** P(Z ≤ z) of the standard normal distribution. Cephes’ own `ndtr` is 0 below z = −27; this one goes down to −37. */
export function normalCdf(z: number): number {
  // Beyond, Cephes reports an underflow instead of the limit.
  if (z < -37.5) return 0;
  return z > 9 ? 1 : erfc(-z / Math.SQRT2) / 2;
}

/** The z with P(Z ≤ z) = p of the standard normal distribution; −∞ and ∞ at 0 and 1. @throws RangeError on p outside [0, 1]. */
export function normalQuantile(p: number): number {
  assertProbability('normal quantile', p);
  return p === 0 ? Number.NEGATIVE_INFINITY : p === 1 ? Number.POSITIVE_INFINITY : ndtri(p);
}

/** P(X > x) of the chi-squared distribution. @throws RangeError unless x ≥ 0 and df > 0. */
export function chiSquaredSurvival(x: number, df: number): number {
  if (!(x >= 0)) throw new RangeError(`chi-squared: x is ${x}, expected a number not below 0`);
  assertPositive('chi-squared: df', df);
  return orZero(() => chdtrc(df, x));
}

/** P(X ≤ x) of the beta distribution: the regularised incomplete beta function. @throws RangeError unless x is in [0, 1], a and b positive. */
export function betaCdf(x: number, a: number, b: number): number {
  assertProbability('beta', x);
  assertPositive('beta: a', a);
  assertPositive('beta: b', b);
  return x === 0 || x === 1 ? x : orZero(() => incbet(a, b, x));
}

/** The x with P(X ≤ x) = p of the beta distribution. @throws RangeError unless p is in [0, 1], a and b positive. */
export function betaQuantile(p: number, a: number, b: number): number {
  assertProbability('beta quantile', p);
  assertPositive('beta quantile: a', a);
  assertPositive('beta quantile: b', b);
  return p === 0 || p === 1 ? p : incbi(a, b, p);
}

/** The t with P(T ≤ t) = p of Student's distribution. @throws RangeError unless p is in [0, 1] and df a positive integer. */
export function studentTQuantile(p: number, df: number): number {
  assertProbability('Student’s t quantile', p);
  if (!Number.isInteger(df) || df < 1) throw new RangeError(`Student’s t quantile: df is ${df}, expected a positive integer`);
  if (p === 0 || p === 1) return p === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return stdtri(df, p);
}

/** P(T ≤ t) of Student’s distribution. @throws RangeError unless df is a positive integer. */
export function studentTCdf(t: number, df: number): number {
  if (!Number.isInteger(df) || df < 1) throw new RangeError(`Student’s t: df is ${df}, expected a positive integer`);
  if (!Number.isFinite(t)) return t > 0 ? 1 : 0;
  return orZero(() => stdtr(df, t));
}

/** P(X ≤ k) of n trials, each with the chance p. @throws RangeError unless p is in [0, 1]. */
export function binomialCdf(k: number, n: number, p: number): number {
  assertProbability('binomial', p);
  if (k < 0) return 0;
  return k >= n ? 1 : orZero(() => bdtr(k, n, p));
}

/** P(X ≥ k); `binomialCdf` loses digits near 1. */
export function binomialSurvival(k: number, n: number, p: number): number {
  assertProbability('binomial', p);
  if (k <= 0) return 1;
  return k > n ? 0 : orZero(() => bdtrc(k - 1, n, p));
}

/** P(K > x) of Kolmogorov's distribution, the limit of √n D. 1 for x ≤ 0. */
export function kolmogorovSurvival(x: number): number {
  return x <= 0 ? 1 : orZero(() => kolmogorov(x));
}

/** P(D+ ≥ d) of the one-sided Kolmogorov–Smirnov statistic of n values (Smirnov 1944), n up to 1000; below 1e-60 only its magnitude is right. */
export function smirnovSurvival(n: number, d: number): number {
  return d <= 0 ? 1 : d >= 1 ? 0 : orZero(() => smirnov(n, d));
}

/** Cephes throws on a probability too small for a number; here it is 0. */
function orZero(probability: () => number): number {
  try {
    return probability();
  } catch (error) {
    if (error instanceof Error && /underflow/.test(error.message)) return 0;
    throw error;
  }
}

function assertProbability(what: string, p: number): void {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`${what}: p is ${p}, expected a number in [0, 1]`);
}

function assertPositive(what: string, value: number): void {
  if (!(value > 0)) throw new RangeError(`${what} is ${value}, expected a positive number`);
}
