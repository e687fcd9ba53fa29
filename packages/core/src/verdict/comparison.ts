// Compares two protocols on one metric: every number, before any verdict.

import { bootstrapIntervals } from '../math/bootstrap.ts';
import { equivalence, hodgesLehmannShift, pseudomedian } from '../math/hodges-lehmann.ts';
import { mannWhitneyTest, rankBiserialCategory } from '../math/mann-whitney.ts';
import { median } from '../math/quantile.ts';
import { type SignedRankTest, signedRankTest } from '../math/signed-rank.ts';
import { type Comparison, type Estimate, estimateEnds } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { protocolName } from '../text/numbers.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { quantilesFor } from '../vocabulary/verdict.ts';
import { byQuantile, slowLoads } from './by-quantile.ts';
import { failed } from './counted-visits.ts';
import { type Failures, failuresOf } from './failures.ts';
import { assertNotNegative, deltaOfMedians, liesWithin, siteClass } from './h3-delta.ts';
import { quantileShifts } from './quantile-shifts.ts';
import { knownOrNull } from './summary.ts';

/** The numbers of two protocols; none negative, +∞ for a failed load. */
export interface Samples {
  metric: MetricName;
  candidate: Protocol;
  baseline: Protocol;
  /** Values of all visits that count. */
  candidateValues: readonly number[];
  baselineValues: readonly number[];
  /** Rounds in which both have a value. */
  pairs: readonly Pair[];
  /** By round, as of `failuresOf`; default: from the pairs. */
  outcomes?: { candidate: readonly number[]; baseline: readonly number[] };
  confirmatory: boolean;
}

export interface Pair {
  candidate: number;
  baseline: number;
}

interface ComparisonOptions {
  /** 1 − confidence of the intervals; default 0.05. */
  level?: number;
  /** The same for the shift's interval: the level of the paired test's p among other comparisons; default: level. */
  shiftLevel?: number;
  /** Relative difference that counts as none. */
  margin: number;
  /** Of the bootstrap. */
  seed: number;
  /** Of the bootstrap of H3-Delta; default its own. */
  resamples?: number;
  /** True to compute byQuantile, which takes longer than everything else; default: for the question. */
  tellsQuantiles?: boolean;
}

/** Without its verdict; familyP and adjustedP are p until they are corrected. */
export type Compared = Omit<Comparison, 'verdict'>;

/** The smallest effects that count in practice, after Zahra & Ardiansyah 2026. */
const practicalFrom = { p: 0.05, rankBiserial: 0.3, relativeDifference: 0.1 };

/**
 * Compares two protocols on one metric, by rounds if they can be paired, and as two samples as published results do.
 *
 * @throws RangeError on a value that is negative or NaN.
 */
export function compare(
  samples: Samples,
  { level = 0.05, shiftLevel = level, margin, seed, resamples, tellsQuantiles = samples.confirmatory }: ComparisonOptions,
): Compared {
  const { metric, candidate, baseline, candidateValues, baselineValues, pairs, outcomes = outcomesOf(pairs), confirmatory } = samples;
  assertNotNegative(candidate, candidateValues);
  assertNotNegative(baseline, baselineValues);
  const logs = logRatios(pairs);
  const bootstrapped =
    pairs.length === 0 ? null : bootstrapIntervals(pairs, { seed, confidence: 1 - level, ...(resamples && { resamples }) });
  const medians =
    candidateValues.length === 0 || baselineValues.length === 0
      ? null
      : { candidate: median(candidateValues), baseline: median(baselineValues) };
  const relative =
    medians === null || medians.baseline === 0 ? null : knownOrNull((medians.candidate - medians.baseline) / medians.baseline);
  const failures = failuresOf(outcomes.candidate, outcomes.baseline, { candidate, baseline });
  const mannWhitney = medians === null ? null : unpaired(candidateValues, baselineValues);
  const alike = equivalenceOf(logs, level, margin);
  const quantiles = quantilesFor(pairs.length);
  const wanted = tellsQuantiles ? quantiles : alike?.equivalent === true ? quantiles.slice(-1) : [];
  const shifts = quantileShifts(pairs, wanted, seed);
  const delta = medians && deltaOfMedians(medians.candidate, medians.baseline);
  const shift = shiftOf(logs, shiftLevel);
  return {
    metric,
    candidate,
    baseline,
    confirmatory,
    rounds: pairs.length,
    failures: medians === null ? failures : withoutMedian(failures, medians, samples),
    delta: withInterval(delta, bootstrapped?.delta),
    deltaClass: delta === null ? null : siteClass(delta),
    deltaClassIsSure: delta !== null && liesWithin(bootstrapped?.delta ?? null, siteClass(delta)),
    medianDifference: medianDifferenceOf(medians, bootstrapped?.medianDifference),
    relativeMedianDifference: relative,
    shift,
    shiftAtMedian: shiftAtMedian(shift, medians),
    shiftConfidence: 1 - shiftLevel,
    hodgesLehmannShift: medians === null ? null : located(hodgesLehmannShift(candidateValues, baselineValues, 1 - level)),
    confidence: 1 - level,
    signedRank: paired(pairs, logs),
    mannWhitney,
    equivalence: alike && { ...alike, slowLoads: alike.equivalent && shifts ? slowLoads(shifts, level, margin) : null },
    byQuantile: tellsQuantiles && shifts ? byQuantile(samples, shifts, { level, margin, seed }) : null,
    practical:
      mannWhitney !== null &&
      relative !== null &&
      mannWhitney.p < practicalFrom.p &&
      Math.abs(mannWhitney.rankBiserial) >= practicalFrom.rankBiserial &&
      Math.abs(relative) >= practicalFrom.relativeDifference,
  };
}

/**
 * ln(candidate ÷ baseline) of each round; null if there is none, or a value is 0 and has no logarithm. ±∞ if one of them failed, NaN if
 * both did.
 */
export function logRatios(pairs: readonly Pair[]): number[] | null {
  if (pairs.length === 0 || pairs.some(({ candidate, baseline }) => candidate === 0 || baseline === 0)) return null;
  return pairs.map(({ candidate, baseline }) => Math.log(candidate / baseline));
}

const outcomesOf = (pairs: readonly Pair[]) => ({
  candidate: pairs.map(({ candidate }) => Number(candidate === failed)),
  baseline: pairs.map(({ baseline }) => Number(baseline === failed)),
});

type Medians = Pair;

/** Why there is no H3-Delta. */
function withoutMedian(failures: Failures, medians: Medians, { candidate, baseline }: Samples): Failures {
  const without = [
    ...(medians.candidate === failed ? [protocolName(candidate)] : []),
    ...(medians.baseline === failed ? [protocolName(baseline)] : []),
  ];
  if (without.length === 0) return failures;
  const words = `The median over ${without.join(' and ')} lies among visits that failed, so medians can’t be compared.`;
  return { ...failures, words: [failures.words, words].filter((part) => part !== '').join(' ') };
}

function medianDifferenceOf(medians: Medians | null, ends: Ends): Compared['medianDifference'] {
  if (medians === null || (medians.candidate === failed && medians.baseline === failed)) return null;
  return estimateOf(medians.candidate - medians.baseline, ends);
}

/** On ratios, because a slowdown is proportional; on differences if a value is 0. Null without a pair. */
export function pairedTest(pairs: readonly Pair[], logs: readonly number[] | null = logRatios(pairs)): SignedRankTest | null {
  return pairs.length === 0 ? null : signedRankTest(tied(logs ?? pairs.map(({ candidate, baseline }) => candidate - baseline)));
}

/** If both failed, neither was better. */
export const tied = (differences: readonly number[]): number[] =>
  differences.map((difference) => (Number.isNaN(difference) ? 0 : difference));

function paired(pairs: readonly Pair[], logs: readonly number[] | null): Compared['signedRank'] {
  const test = pairedTest(pairs, logs);
  if (test === null) return null;
  const { p, statistic, rankBiserial, method } = test;
  return { p, familyP: p, adjustedP: p, statistic, rankBiserial, category: rankBiserialCategory(rankBiserial), method };
}

function unpaired(candidate: readonly number[], baseline: readonly number[]): NonNullable<Compared['mannWhitney']> {
  const {
    p,
    statistic,
    rankBiserial,
    rankBiserialCategory: category,
    method,
    cliffsDelta,
    cliffsDeltaCategory,
  } = mannWhitneyTest(candidate, baseline);
  return { p, statistic, rankBiserial, category, method, cliffsDelta, cliffsDeltaCategory };
}

function shiftOf(logs: readonly number[] | null, level: number): Compared['shift'] {
  if (logs === null) return null;
  const { estimate, interval } = pseudomedian(logs, 1 - level);
  if (Number.isNaN(estimate)) return null;
  return estimateOf(asShareOf(estimate), interval && { low: asShareOf(interval.low), high: asShareOf(interval.high) });
}

/** From a difference of logarithms. A difference below failed loads is unbounded: −100 % would look like a number. */
export const asShareOf = (log: number): number => (log === Number.NEGATIVE_INFINITY ? log : Math.expm1(log));

function shiftAtMedian(shift: Compared['shift'], medians: Medians | null): number | null {
  if (shift?.value == null || medians === null || medians.baseline === 0 || !Number.isFinite(medians.baseline)) return null;
  return Math.sign(medians.candidate - medians.baseline) === Math.sign(shift.value) ? shift.value * medians.baseline : null;
}

function equivalenceOf(logs: readonly number[] | null, level: number, margin: number) {
  const test = logs === null ? null : equivalence(logs, { margin, alpha: level });
  return test && { ...test, low: knownOrNull(asShareOf(test.low)), high: knownOrNull(asShareOf(test.high)) };
}

type Ends = { low: number; high: number } | null | undefined;

function withInterval(value: number | null, ends: Ends): Compared['delta'] {
  return value === null ? null : estimateOf(value, ends);
}

/** Null if failures leave nothing to compare. */
const located = ({ estimate, interval }: { estimate: number; interval: Ends }): Compared['hodgesLehmannShift'] =>
  Number.isNaN(estimate) ? null : estimateOf(estimate, interval);

/** In JSON's form, which has no ∞. */
export function estimateOf(value: number, ends: Ends): Estimate {
  const all = { value, low: ends?.low ?? null, high: ends?.high ?? null };
  const beyond = estimateEnds.filter((end) => all[end] !== null && !Number.isFinite(all[end]));
  if (beyond.length === 0) return all;
  const known = (one: number | null) => (one === null ? null : knownOrNull(one));
  const unbounded = Object.fromEntries(beyond.map((end) => [end, (all[end] as number) > 0 ? ('above' as const) : ('below' as const)]));
  return { value: known(all.value), low: known(all.low), high: known(all.high), unbounded };
}
