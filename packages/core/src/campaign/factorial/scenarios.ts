// Each combination of levels by itself, as in the published study, and what a number of replications can show.

import { adjustPValues } from '../../math/adjust.ts';
import { mannWhitneyTest, rankBiserialCategory, smallestMannWhitneyP } from '../../math/mann-whitney.ts';
import { normalQuantile } from '../../math/probability.ts';
import { median } from '../../math/quantile.ts';
import type { FactorialPower, FactorialScenario, ScenarioOutcome, ScenarioSide } from '../../schemas/factorial.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { changeWords, counted, grouped, protocolName } from '../../text/numbers.ts';
import { failed } from '../../verdict/counted-visits.ts';
import { knownOrNull, summariseLoads } from '../../verdict/summary.ts';
import { isTime } from '../../vocabulary/metric.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { EffectCategory } from '../../vocabulary/verdict.ts';
import type { Combination } from './model.ts';

/** The replications of one protocol; +∞ for the time of a failed one. */
export interface SideValues {
  values: readonly number[];
  /** The 95th and 99th percentiles of each replication’s requests; null: a replication has none. */
  tails: { p95: readonly number[]; p99: readonly number[] } | null;
}

interface ScenarioValues {
  levels: Combination;
  candidate: SideValues;
  baseline: SideValues;
}

const categories: Record<EffectCategory, NonNullable<FactorialScenario['category']>> = {
  negligible: 'negligible',
  small: 'small',
  medium: 'moderate',
  large: 'large',
};

/**
 * Each scenario with its numbers, the Mann–Whitney test over its replications, and its outcome by the published rule (Zahra & Ardiansyah
 * 2026). The unit is a replication: requests of a run share connections, queues and moments. p is Holm-corrected over the scenarios that
 * have one.
 */
export function scenariosOf(
  scenarios: readonly ScenarioValues[],
  { metric, candidate, baseline }: { metric: MetricName; candidate: Protocol; baseline: Protocol },
): FactorialScenario[] {
  const tested = scenarios.map((one) => {
    const [of, against] = [one.candidate.values, one.baseline.values];
    return of.length === 0 || against.length === 0
      ? null
      : { ...mannWhitneyTest(of, against), least: smallestMannWhitneyP(of.length, against.length) };
  });
  const ps = tested.flatMap((test) => test?.p ?? []);
  const adjusted = adjustPValues(ps);
  let next = 0;
  return scenarios.map(({ levels, ...values }, place): FactorialScenario => {
    const sides = { candidate: sideOf(values.candidate), baseline: sideOf(values.baseline) };
    const test = tested[place] ?? null;
    if (test === null) {
      const nothing = { p: null, adjustedP: null, smallestAdjustedP: null, rankBiserial: null, category: null, relative: null };
      return {
        levels,
        ...sides,
        ...nothing,
        isRelevant: false,
        isRelevantUncorrected: false,
        outcome: 'unmeasured',
        words: 'not measured',
      };
    }
    const { p, rankBiserial, least } = test;
    const adjustedP = adjusted[next++] as number;
    // A failed replication has no difference.
    const [of, against] = [median(values.candidate.values), median(values.baseline.values)];
    const relative = against === 0 || of === failed || against === failed ? null : knownOrNull((of - against) / against);
    // If runs have two modes, the side that tends to be lower may have the higher median: then neither is ahead.
    const agree = Math.sign(of - against) === Math.sign(rankBiserial);
    const matters =
      agree && Math.abs(rankBiserial) >= relevance.rankBiserial && (relative === null || Math.abs(relative) >= relevance.relative);
    const isRelevant = adjustedP < relevance.alpha && matters;
    const smallestAdjustedP = Math.min(1, least * ps.length);
    const outcome = outcomeOf({ isRelevant, rankBiserial, adjustedP, smallestAdjustedP });
    const category = categories[rankBiserialCategory(rankBiserial)];
    return {
      levels,
      ...sides,
      ...{ p, adjustedP, smallestAdjustedP, rankBiserial, category, relative, isRelevant, outcome },
      isRelevantUncorrected: p < relevance.alpha && matters,
      words: wordsOf({ outcome, relative, category, rankBiserial, metric, candidate, baseline }),
    };
  });
}

function sideOf({ values, tails }: SideValues): ScenarioSide {
  if (values.length === 0) return { n: 0, failed: 0, mean: null, median: null, cv: null, cvClass: null, p95: null, p99: null };
  const { n, mean, median: middle, cv, cvClass, p95, p99, censored } = summariseLoads(values, null);
  const tail = tails === null ? { p95, p99 } : { p95: middleOf(tails.p95), p99: middleOf(tails.p99) };
  return { n, failed: censored?.count ?? 0, mean, median: middle, cv, cvClass, ...tail };
}

const middleOf = (values: readonly number[]) => (values.length === 0 ? null : knownOrNull(median(values)));

type Judged = Pick<FactorialScenario, 'isRelevant'> & { rankBiserial: number; adjustedP: number; smallestAdjustedP: number };

function outcomeOf({ isRelevant, rankBiserial, adjustedP, smallestAdjustedP }: Judged): ScenarioOutcome {
  if (isRelevant) return rankBiserial < 0 ? 'candidate-lower' : 'candidate-higher';
  if (adjustedP < relevance.alpha) return 'too-small';
  return smallestAdjustedP >= relevance.alpha ? 'too-few' : 'not-shown';
}

function wordsOf({
  outcome,
  relative,
  category,
  rankBiserial,
  metric,
  candidate,
  baseline,
}: Pick<FactorialScenario, 'outcome' | 'relative' | 'category'> & {
  rankBiserial: number;
  metric: MetricName;
  candidate: Protocol;
  baseline: Protocol;
}): string {
  const sides = isTime(metric) ? (['faster', 'slower'] as const) : (['lower', 'higher'] as const);
  const much = relative === null ? sides[Number(rankBiserial > 0)] : changeWords(relative, sides);
  switch (outcome) {
    case 'candidate-lower':
    case 'candidate-higher':
      return `${protocolName(candidate)} ${much} than ${protocolName(baseline)}, ${category} effect`;
    case 'too-small':
      return relative !== null && relative * rankBiserial < 0
        ? `they differ, and neither is ahead: medians and ranks point in opposite directions`
        : `they differ, but too little to matter (${category} effect)`;
    case 'too-few':
      return 'too few replications to tell';
    default:
      return 'no difference shown';
  }
}

/** The smallest effects that count in practice (Zahra & Ardiansyah 2026). */
export const relevance = { alpha: 0.05, rankBiserial: 0.3, relative: 0.1 } as const;
/** The size of a large effect. */
const large = 0.5;

/** The fewest replications with which one of this many scenarios can be shown. Holm compares the smallest p with α ÷ scenarios. */
export function minReplications(scenarios: number): number {
  let n = 1;
  while (smallestMannWhitneyP(n, n) * scenarios >= relevance.alpha) n++;
  return n;
}

/**
 * Replications of each protocol with which the Mann–Whitney test shows this effect with a power of 0.8, at α ÷ scenarios: 2 (z₁₋α/₂ +
 * z₀.₈)² ÷ 3 ε² (Noether, “Sample size determination for some common nonparametric tests”, JASA 82, 1987, with P(X < Y) = (1 + ε) ÷ 2 and
 * samples of one size).
 */
export function replicationsFor(rankBiserial: number, scenarios: number): number {
  const z = normalQuantile(1 - relevance.alpha / scenarios / 2) + normalQuantile(0.8);
  return Math.max(minReplications(scenarios), Math.ceil((2 * z * z) / (3 * rankBiserial ** 2)));
}

/** @param replications of each protocol, in each scenario. @param scenarios sites × conditions × views. */
export function factorialPower(replications: number, scenarios: number): FactorialPower {
  const among = Math.max(1, scenarios);
  const [p, least, forLarge] = [smallestMannWhitneyP(replications, replications), minReplications(among), replicationsFor(large, among)];
  const adjusted = Math.min(1, p * among);
  const canShow = adjusted < relevance.alpha;
  const after = among === 1 ? '' : ` and ${pText(adjusted)} after Holm’s correction for ${grouped(among)} scenarios`;
  const most = `About ${forLarge} show a large effect (|ε| = 0.5) with 80 % power.`;
  const words = canShow
    ? `${counted(replications, 'replication')} can show a scenario’s difference where nearly every run of one protocol is below every run of the other. ${most}`
    : `${counted(replications, 'replication')} can’t show a difference in any scenario: the smallest p of Mann–Whitney with ${replications} against ${replications} is ${pText(p)}${after}. ` +
      `At least ${counted(least, 'replication')} are needed. ${most} Interactions pool all scenarios and may still be shown.`;
  return { replications, scenarios, smallestP: p, smallestAdjustedP: adjusted, canShow, least, forLarge, words };
}

const pText = (p: number): string => (p >= 1 ? '1' : p < 0.001 ? 'below 0.001' : String(Number(p.toPrecision(2))));
