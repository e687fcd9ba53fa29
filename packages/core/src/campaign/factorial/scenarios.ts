// Each combination of levels by itself, as the published study tells it.

import { adjustPValues } from '../../math/adjust.ts';
import { type EffectCategory, rankBiserialCategory } from '../../math/effect-category.ts';
import { mannWhitneyTest } from '../../math/mann-whitney.ts';
import { median } from '../../math/quantile.ts';
import type { FactorialScenario, ScenarioOutcome, ScenarioSide } from '../../schemas/factorial.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { changeWords, protocolName } from '../../text/numbers.ts';
import { failed, isTime } from '../../verdict/counted-visits.ts';
import { knownOrNull, summariseLoads } from '../../verdict/summary.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { Combination } from './model.ts';
import { relevance, smallestP } from './replications.ts';

/** What the replications of one protocol gave; +∞ for the time of one that failed. */
export interface SideValues {
  values: readonly number[];
  /** Of each replication what 95 and 99 % of its requests took at most; null: a replication has no such number. */
  tails: { p95: readonly number[]; p99: readonly number[] } | null;
}

export interface ScenarioValues {
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
 * Each scenario with its numbers, Mann & Whitney’s test over its replications and what it means by the published rule (Zahra & Ardiansyah 2026). A replication is the unit: requests
 * of a run share connections, queues and moments. p is corrected by Holm over the scenarios that have one.
 */
export function scenariosOf(
  scenarios: readonly ScenarioValues[],
  { metric, candidate, baseline }: { metric: MetricName; candidate: Protocol; baseline: Protocol },
): FactorialScenario[] {
  const tested = scenarios.map((one) => {
    const [of, against] = [one.candidate.values, one.baseline.values];
    return of.length === 0 || against.length === 0
      ? null
      : { ...mannWhitneyTest(of, against), least: smallestP(of.length, against.length) };
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
    // As a difference of what failed has none.
    const [of, against] = [median(values.candidate.values), median(values.baseline.values)];
    const relative = against === 0 || of === failed || against === failed ? null : knownOrNull((of - against) / against);
    // Where runs have two modes, the one may tend to be lower whose median is higher: then nobody is ahead.
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
