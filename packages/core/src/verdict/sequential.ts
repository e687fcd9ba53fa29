// Campaigns that run until settled: the looks, and what a look may claim.
import type { CampaignSpec } from '../schemas/campaign.ts';
import { confirmatoryComparisons } from './questions.ts';

/** A look at a campaign: after this many rounds of each cell that is not settled, at this level. */
export type Look = { readonly rounds: number; readonly level: number };

/**
 * The looks of a campaign that adds rounds until its comparisons are settled, fixed before its first round.
 *
 * Testing at 0.05 after every few rounds until something is significant finds it in far more than 5 % of campaigns without any
 * difference. Here the levels of the looks sum to alpha, so that by the union bound the chance of a false claim at any look is at
 * most alpha, whatever the distribution and however the looks depend on each other, and whatever else stops a cell earlier. A
 * spending function says how much of alpha is used up by when (Lan & DeMets, "Discrete sequential boundaries for clinical
 * trials", Biometrika 70, 1983); this one is linear in rounds, level = alpha · (rounds − rounds of the look before) ÷ maximumRounds (ρ = 1
 * of Kim & DeMets, "Design and analysis of group sequential tests based on the type I error spending rate function", Biometrika 74,
 * 1987). Boundaries by the looks' joint distribution would be somewhat less strict, but that is known only where the statistic is normal,
 * and rounds are few. bench/statistics/sequential.ts shows what the rule costs and prevents.
 *
 * At a look, with the rounds until then: a difference is claimed where `sequentialP` is at most alpha, corrected over all comparisons of
 * the campaign, settled ones too; equivalence by `equivalence` at the look's level; an interval of confidence 1 − level is a
 * repeated confidence interval: all looks' together hold the true value with 1 − alpha (Jennison & Turnbull, Group Sequential Methods with
 * Applications to Clinical Trials, 1999, ch. 9). What was claimed stays claimed, and a settled cell gets no more rounds.
 *
 * Looks come at `rounds`, then at `growth` times the rounds of the one before, rounded up, and last at `maximumRounds`; a look closer to the
 * maximum than half a step is left out, since it takes more power from the last one than it saves rounds. Where the exact signed-rank
 * test cannot reach its level by any data, 2 ÷ 2ⁿ being its smallest p, there is no look either, and the next one has its level too.
 *
 * @param options.rounds of the first look. @param options.maximumRounds of the last.
 * @param options.growth above 1; default 1.5. @param options.alpha in (0, 1), of all looks together; default 0.05.
 * @param options.comparisons that Holm corrects for: the smallest p must reach level ÷ comparisons; default 1, which is also for
 *   Benjamini–Hochberg.
 * @throws RangeError on numbers out of their ranges, and where not even maximumRounds rounds could ever claim anything.
 */
export function planLooks(options: {
  rounds: number;
  maximumRounds: number;
  growth?: number;
  alpha?: number;
  comparisons?: number;
}): readonly Look[] {
  const { rounds, maximumRounds, growth = 1.5, alpha = 0.05, comparisons = 1 } = options;
  for (const [name, value] of Object.entries({ rounds, maximumRounds, comparisons })) {
    if (!Number.isInteger(value) || value < 1) throw new RangeError(`looks: ${name} is ${value}, expected a positive integer`);
  }
  if (maximumRounds < rounds) throw new RangeError(`looks: maximumRounds is ${maximumRounds}, expected at least rounds, ${rounds}`);
  if (!(growth > 1 && growth < Number.POSITIVE_INFINITY)) throw new RangeError(`looks: growth is ${growth}, expected a number above 1`);
  if (!(alpha > 0 && alpha < 1)) throw new RangeError(`looks: alpha is ${alpha}, expected a number in (0, 1)`);
  const minimum = Math.ceil(1 + Math.log2(comparisons / alpha));
  if (maximumRounds < minimum) {
    throw new RangeError(
      `looks: maximumRounds is ${maximumRounds}, expected at least ${minimum}: fewer never reach ${alpha} ÷ ${comparisons}`,
    );
  }

  const looks: Look[] = [];
  const lookAt = (n: number): Look => ({ rounds: n, level: alpha * ((n - (looks.at(-1)?.rounds ?? 0)) / maximumRounds) });
  const canClaim = (look: Look) => 2 ** (1 - look.rounds) <= look.level / comparisons;
  // A rounding error of a product (10 × 1.1) is no round.
  for (let n = rounds; n < maximumRounds; n = Math.ceil(n * growth - 1e-9)) {
    const [look, nearTheEnd] = [lookAt(n), n > rounds && n * Math.sqrt(growth) > maximumRounds];
    if (!nearTheEnd && canClaim(look)) looks.push(look);
  }
  while (looks.length > 0 && !canClaim(lookAt(maximumRounds))) looks.pop();
  return [...looks, lookAt(maximumRounds)];
}

/**
 * The level of the look after this many rounds.
 * @throws RangeError if no look is planned: a test there, at any level, would break the rule.
 */
export function levelAt(looks: readonly Look[], rounds: number): number {
  const look = looks.find((one) => one.rounds === rounds);
  if (!look) {
    const planned = looks.map((one) => one.rounds).join(', ');
    throw new RangeError(`level: no look is planned at ${rounds} rounds, expected one of ${planned}`);
  }
  return look.level;
}

/**
 * The p-value of a comparison by all looks at it so far: the smallest of pₖ · alpha ÷ levelₖ, at most 1. It is at most alpha exactly when
 * some look's p was at most its level, and is itself a p-value at any time, stopped for whatever reason: under the null
 * P(sequential p ≤ a) ≤ Σ P(pₖ ≤ a · levelₖ ÷ alpha) ≤ a. So corrections for other comparisons take it as any other p-value, Holm's without any
 * assumption on how looks and comparisons depend on each other. With one look it is that look's p.
 *
 * @param ps of the looks that happened, in order: of the rounds until then. Null if a look had nothing to test.
 * @returns 1 before the first look.
 * @throws RangeError on more ps than looks, and on a p outside [0, 1].
 */
export function sequentialP(looks: readonly Look[], ps: readonly (number | null)[]): number {
  if (ps.length > looks.length)
    throw new RangeError(`sequential p: ${ps.length} p-values, expected at most one for each of ${looks.length} looks`);
  const alpha = looks.reduce((sum, { level }) => sum + level, 0);
  return ps.reduce<number>((smallest, p, i) => {
    if (p === null) return smallest;
    if (!(p >= 0 && p <= 1)) throw new RangeError(`sequential p: value ${i} is ${p}, expected a number in [0, 1]`);
    return Math.min(smallest, p * (alpha / (looks[i] as Look).level));
  }, 1);
}

/**
 * The looks of a campaign that runs until settled; null if the number of rounds is fixed.
 * @throws RangeError as `planLooks`, if the maximum rounds are too few to settle anything.
 */
export function looksOf(
  {
    rounds,
    maximumRounds,
    adjustment,
    protocols,
    conditions,
    views,
  }: Pick<CampaignSpec, 'rounds' | 'maximumRounds' | 'adjustment' | 'protocols' | 'conditions' | 'views'>,
  sites: number,
): readonly Look[] | null {
  if (maximumRounds === null) return null;
  const comparisons = adjustment === 'holm' ? confirmatoryComparisons(protocols, sites * conditions.length * views.length) : 1;
  return planLooks({ rounds, maximumRounds, comparisons: Math.max(1, comparisons) });
}
