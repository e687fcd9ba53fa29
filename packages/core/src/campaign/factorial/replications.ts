// What so many replications can show of a scenario, before anything is measured and after.

import { normalQuantile } from '../../math/probability.ts';
import type { FactorialPower } from '../../schemas/factorial.ts';
import { counted, grouped } from '../../text/numbers.ts';

/** From which effects count in practice (Zahra & Ardiansyah 2026). */
export const relevance = { alpha: 0.05, rankBiserial: 0.3, relative: 0.1 } as const;
/** Of an effect that is called large. */
const large = 0.5;

/** The smallest two-sided p of Mann & Whitney’s test: all values of one sample are below all of the other, one way or the other of C(m + n, n). */
export function smallestP(m: number, n: number): number {
  let ways = 1;
  for (let i = 1; i <= n; i++) ways = (ways * (m + i)) / i;
  return Math.min(1, 2 / ways);
}

/** Replications with which one scenario of so many can be shown at all. Holm holds the smallest p against α ÷ scenarios. */
export function leastReplications(scenarios: number): number {
  let n = 1;
  while (smallestP(n, n) * scenarios >= relevance.alpha) n++;
  return n;
}

/**
 * Replications of each protocol with which Mann & Whitney’s test shows this effect with a power of 0.8, at α ÷ scenarios: 2 (z₁₋α/₂ + z₀.₈)² ÷ 3 ε² (Noether, “Sample size determination
 * for some common nonparametric tests”, JASA 82, 1987, with P(X < Y) = (1 + ε) ÷ 2 and samples of one size).
 */
export function replicationsFor(rankBiserial: number, scenarios: number): number {
  const z = normalQuantile(1 - relevance.alpha / scenarios / 2) + normalQuantile(0.8);
  return Math.max(leastReplications(scenarios), Math.ceil((2 * z * z) / (3 * rankBiserial ** 2)));
}

/** @param replications of each protocol, in each scenario. @param scenarios sites × conditions × views. */
export function factorialPower(replications: number, scenarios: number): FactorialPower {
  const among = Math.max(1, scenarios);
  const [p, least, forLarge] = [smallestP(replications, replications), leastReplications(among), replicationsFor(large, among)];
  const adjusted = Math.min(1, p * among);
  const canShow = adjusted < relevance.alpha;
  const after = among === 1 ? '' : ` and ${pText(adjusted)} after Holm’s correction for ${grouped(among)} scenarios`;
  const most = `About ${forLarge} show a large effect (|ε| = 0.5) four times in five.`;
  const words = canShow
    ? `${counted(replications, 'replication')} can show a scenario’s difference where nearly every run of one protocol is below every run of the other. ${most}`
    : `${counted(replications, 'replication')} can’t show a difference in any scenario: the smallest p of Mann–Whitney with ${replications} against ${replications} is ${pText(p)}${after}. ` +
      `It takes at least ${counted(least, 'replication')}. ${most} Interactions pool all scenarios and may still be shown.`;
  return { replications, scenarios, smallestP: p, smallestAdjustedP: adjusted, canShow, least, forLarge, words };
}

const pText = (p: number): string => (p >= 1 ? '1' : p < 0.001 ? 'below 0.001' : String(Number(p.toPrecision(2))));
