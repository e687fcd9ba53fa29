// The power of the signed-rank test for a distribution of which a sample is known.
import { normalCdf } from './probability.ts';
import { signedRankCriticalDepth } from './signed-rank.ts';

/** Up to so many rounds critical values are counted, hence remembered here. */
export const countedUpTo = 100;

/** P(X > 0), P(X + X′ > 0), P(X + X′ > 0 and X + X″ > 0). */
export type Exceedances = { p1: number; p2: number; p3: number };

/**
 * Of independent draws from `errors` with `shift` added; what is 0 counts half. Two pointers: linear, once sorted.
 * @param errors ascending.
 */
export function exceedances(errors: Float64Array, shift: number): Exceedances {
  const n = errors.length;
  const at = (i: number) => (errors[i] as number) + shift;
  let [p1, p2, p3] = [0, 0, 0];
  let [notBelow, above] = [n, n];
  for (let i = 0; i < n; i++) {
    // As at(i) grows, more partners lie above −at(i).
    while (above > 0 && at(above - 1) > -at(i)) above--;
    while (notBelow > 0 && at(notBelow - 1) >= -at(i)) notBelow--;
    const partners = (n - above + (n - notBelow)) / 2;
    p1 += (Math.sign(at(i)) + 1) / 2;
    p2 += partners;
    p3 += partners ** 2;
  }
  return { p1: p1 / n, p2: p2 / n ** 2, p3: p3 / n ** 3 };
}

/**
 * The chance that the signed-rank test of n rounds, two-sided at `alpha`, rejects towards above 0.
 *
 * W+ is the number of positive Walsh averages, so its mean is n p₁ + n(n − 1)p₂/2 and its variance n p₁(1 − p₁) + n(n − 1)[2(p₁
 * − p₂)² + 3p₂(1 − p₂)]/2 + n(n − 1)(n − 2)(p₃ − p₂²) (Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975,
 * §4.2). The power is the normal chance, with continuity correction, to reach the critical value of the test itself; where only
 * n rounds on one side reach it, p₁ⁿ.
 */
export function signedRankPower({ p1, p2, p3 }: Exceedances, n: number, alpha: number): number {
  const depth = depthOf(n, alpha);
  if (depth === 0) return 0;
  if (depth === 1) return p1 ** n;
  const critical = (n * (n + 1)) / 2 - depth + 1;
  const pairs = (n * (n - 1)) / 2;
  const mean = n * p1 + pairs * p2;
  const variance = n * p1 * (1 - p1) + pairs * (2 * (p1 - p2) ** 2 + 3 * p2 * (1 - p2)) + 2 * pairs * (n - 2) * (p3 - p2 ** 2);
  if (variance <= 0) return Number(mean >= critical);
  // Farther out than 8 the approximation says no more than never and always.
  return normalCdf(Math.max(-8, Math.min(8, (mean - critical + 0.5) / Math.sqrt(variance))));
}

const depths = new Map<number, number[]>();

/** `signedRankCriticalDepth`, remembered where it is counted. */
function depthOf(n: number, alpha: number): number {
  if (n > countedUpTo) return signedRankCriticalDepth(n, alpha);
  if (depths.size > 100) depths.clear();
  const known = depths.get(alpha) ?? [];
  depths.set(alpha, known);
  known[n] ??= signedRankCriticalDepth(n, alpha);
  return known[n];
}
