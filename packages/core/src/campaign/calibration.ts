import { adjustPValues } from '../math/adjust.ts';
import { friedmanTest } from '../math/friedman.ts';
import { type Interval, pseudomedian } from '../math/hodges-lehmann.ts';
import { uniformityTest } from '../math/kolmogorov-smirnov.ts';
import { smallestDetectable } from '../math/power.ts';
import { binomialSurvival } from '../math/probability.ts';
import { proportion } from '../math/proportion.ts';
import { median } from '../math/quantile.ts';
import { randomSource } from '../math/random.ts';
import { randomisedSignedRankP, signedRankCriticalDepth, signedRankTest, untiedLowerTail } from '../math/signed-rank.ts';
import { autocorrelation, trend } from '../math/trend.ts';
import type { Calibration, OrderEffect, SubCampaigns } from '../schemas/calibration.ts';
import {
  calibrationWords,
  failureCautions,
  moreOrLess,
  orderCaution,
  planningCautions,
  roughP,
  type UnjudgedCalibration,
  type UnjudgedOrder,
} from '../text/calibration.ts';
import { percent } from '../text/numbers.ts';
import { tied } from '../verdict/comparison.ts';
import { failed } from '../verdict/counted-visits.ts';
import { knownOrNull, summarise } from '../verdict/summary.ts';
import { minCalibrationRounds } from '../vocabulary/choices.ts';
import type { Protocol } from '../vocabulary/protocol.ts';

const alpha = 0.05;

/** One metric of the two visits of a round that should be alike, in its unit; +∞ for a load that failed. */
export type AaRound = { first: number; second: number };

/**
 * What the rounds of an A/A campaign (h2 against h2, h3 against h3) show: how often the primary test names a winner where there is none,
 * whether its p-values are uniform, whether the rounds fit its assumptions (independent, without a difference), whether the machine stayed
 * the same, and how small a difference can be detected.
 *
 * Disjoint runs of rounds represent campaigns of that size. p-values of an exact test on few rounds take few values, so they are never
 * quite uniform: uniformity is tested on randomised p-values (`randomisedSignedRankP`), false positives are counted by p itself.
 *
 * @param rounds of one protocol, metric and condition, in chronological order.
 * @param options.seed decides the randomised p-values and what is resampled.
 * @param options.subCampaignRounds sizes of sub-campaigns; default 10 and 20; `words` describes the first. Sizes that do not fit are left out.
 * @param options.plannedRounds for which to compute the smallest detectable difference; default 5, 10, 20, 50, 100.
 * @returns without cautions, which depend on the other tests (`judgeCalibration`); null for fewer than 10 rounds in which both loaded.
 * @returns without its cautions, which depend on what else is tested (`judgeCalibration`); null for fewer than 10 rounds in which both loaded.
 * @throws RangeError on a value that is not positive, and on sizes that are no positive integers.
 */
export function calibration(
  rounds: readonly AaRound[],
  options: { seed: number; subCampaignRounds?: readonly number[]; plannedRounds?: readonly number[] },
): UnjudgedCalibration | null {
  const { seed, subCampaignRounds = [10, 20], plannedRounds = [5, 10, 20, 50, 100] } = options;
  assertRounds(rounds);
  const badSize = [...subCampaignRounds, ...plannedRounds].find((size) => !Number.isInteger(size) || size < 1);
  if (badSize !== undefined) throw new RangeError(`calibration: a size is ${badSize}, expected a positive integer`);
  if (rounds.length < minCalibrationRounds) return null;

  const logRatios = rounds.map(({ first, second }) => Math.log(second / first));
  const loaded = rounds.filter(({ first, second }) => Number.isFinite(first + second));
  // Too few loaded rounds show nothing.
  if (loaded.length < minCalibrationRounds) return null;
  const noise = loaded.map(({ first, second }) => Math.log(second / first));
  const failures = (which: keyof AaRound) => rounds.filter((round) => round[which] === failed).length;
  const result: Omit<UnjudgedCalibration, 'words'> = {
    rounds: rounds.length,
    failures: { first: failures('first'), second: failures('second') },
    whole: wholeOf(logRatios),
    subCampaigns: subCampaignRounds.filter((size) => size <= rounds.length).map((size) => subCampaignsOf(logRatios, size, seed)),
    spread: {
      stdev: summarise(noise).stdev ?? 0,
      medianDifference: Math.expm1(median(noise.map((logRatio) => Math.abs(logRatio)))),
    },
    drift: driftOf(loaded),
    autocorrelation: autocorrelation(noise, { seed }),
    detectable: plannedRounds.map((planned) => ({ rounds: planned, relative: detectableBy(planned, noise, seed) })),
  };
  return { words: calibrationWords(result), ...result };
}

function wholeOf(logRatios: readonly number[]): Calibration['whole'] {
  const { estimate, interval } = pseudomedian(logRatios);
  // Ten rounds always have one.
  const { low, high } = interval as Interval;
  const share = (log: number) => knownOrNull(Math.expm1(log));
  return { p: signedRankTest(tied(logRatios)).p, relative: share(estimate), low: share(low), high: share(high) };
}

function subCampaignsOf(logRatios: readonly number[], size: number, seed: number): SubCampaigns {
  const count = Math.floor(logRatios.length / size);
  const samples = Array.from({ length: count }, (_, i) => logRatios.slice(i * size, (i + 1) * size));
  const ps = samples.map((sample) => signedRankTest(tied(sample)).p);
  const random = randomSource(seed);
  const { statistic, p } = uniformityTest(samples.map((sample) => randomisedSignedRankP(tied(sample), random)));
  const positives = ps.filter((one) => one <= alpha).length;
  return {
    rounds: size,
    count,
    roundsLeftOut: logRatios.length - count * size,
    ps,
    falsePositives: { count: positives, ...proportion(positives, count), expected: attainedLevel(size) },
    uniformity: { statistic, p },
  };
}

/** The probability of p ≤ alpha under the null: for the exact test without ties the largest that is not above alpha. */
function attainedLevel(rounds: number): number {
  if (rounds > 100) return alpha;
  const depth = signedRankCriticalDepth(rounds, alpha);
  return depth === 0 ? 0 : 2 * (untiedLowerTail(rounds)[depth - 1] as number);
}

/** Trend of the mean of both visits' logarithms. */
function driftOf(rounds: readonly AaRound[]): Calibration['drift'] {
  const test = trend(rounds.map(({ first, second }) => (Math.log(first) + Math.log(second)) / 2));
  return test && { tau: test.tau, p: test.p, change: Math.expm1(test.slope * (rounds.length - 1)) };
}

function detectableBy(rounds: number, logRatios: readonly number[], seed: number): number | null {
  if (logRatios.every((logRatio) => logRatio === 0)) return null;
  return smallestDetectable(logRatios, { rounds, seed })?.relative ?? null;
}

function assertRounds(rounds: readonly AaRound[]): void {
  for (const [i, round] of rounds.entries()) {
    for (const which of ['first', 'second'] as const) {
      if (!(round[which] > 0)) {
        throw new RangeError(`calibration: ${which} of round ${i} of ${rounds.length} is ${round[which]}, expected a positive number`);
      }
    }
  }
}

/** One metric of a visit, in its unit. */
export type OrderedVisit = { protocol: Protocol; value: number };

/**
 * Whether a visit's position in its round changes its value: a first visit may find a cold machine, a last one a tired one. Each value is
 * divided by the median of its protocol, so that differences between protocols don't hide those between positions. Because the order within
 * a round is random, under the null each order of a round's values is equally likely, whatever they are: Friedman's test assumes nothing
 * more. Two positions are compared by the signed-rank test, because Friedman's would be the weaker sign test.
 *
 * @param rounds of one cell: their visits in order. Rounds with fewer visits than the longest have lost one, and are left out.
 * @returns without its caution (`judgeCalibration`); null for fewer than 10 whole rounds, and for rounds of one visit.
 * @throws RangeError on a value that is not positive and finite.
 */
export function orderEffect(rounds: readonly (readonly OrderedVisit[])[]): UnjudgedOrder | null {
  const bad = rounds.flat().find(({ value }) => !(value > 0 && value < Number.POSITIVE_INFINITY));
  if (bad !== undefined) throw new RangeError(`order effect: a value over ${bad.protocol} is ${bad.value}, expected a positive number`);
  const length = Math.max(0, ...rounds.map((round) => round.length));
  const whole = rounds.filter((round) => round.length === length);
  if (length < 2 || whole.length < minCalibrationRounds) return null;

  const ofProtocol = Map.groupBy(whole.flat(), ({ protocol }) => protocol);
  const medians = new Map([...ofProtocol].map(([protocol, visits]) => [protocol, median(visits.map(({ value }) => value))]));
  const blocks = whole.map((round) => round.map(({ protocol, value }) => value / (medians.get(protocol) as number)));
  const positions = Array.from({ length }, (_, position) => median(blocks.map((block) => block[position] as number)) - 1);
  const p = length === 2 ? signedRankTest(blocks.map(([first = 1, second = 1]) => Math.log(second / first))).p : friedmanTest(blocks).p;
  return { rounds: whole.length, positions, p };
}

/** The probability that any test of a sound calibration raises a caution. */
const level = 0.05;
/** With fewer p-values, a test of uniformity is a test of one or two of them. */
const minForUniformity = 5;
/**
 * The cautions of a calibration: everything measured of one cell, for each protocol and metric. Its tests are corrected together by Holm,
 * because they share rounds: a sound machine gets any caution in at most 5 % of calibrations. bench/statistics/calibration-rates.ts shows
 * the rates of others.
 */
export function judgeCalibration(
  calibrations: readonly UnjudgedCalibration[],
  orders: readonly UnjudgedOrder[],
): { calibrations: Calibration[]; orders: OrderEffect[] } {
  const tests = calibrations.map(testsOf);
  const all = [...tests.flat(), ...orders].map(({ p }) => p);
  const adjusted = adjustPValues(all);
  const least = all.reduce((most, p, i) => ((adjusted[i] as number) <= level ? Math.max(most, p) : most), -1);
  return {
    calibrations: calibrations.map((one, i) => ({
      ...one,
      cautions: [
        ...failureCautions(one),
        ...(tests[i] as CalibrationTest[]).flatMap(({ p, words }) => (p <= least ? [words] : [])),
        ...planningCautions(one),
      ],
    })),
    orders: orders.map((one) => ({ ...one, caution: one.p <= least ? orderCaution(one) : null })),
  };
}

/** The text for a small p. */
interface CalibrationTest {
  p: number;
  words: string;
}

function testsOf({ rounds, whole, subCampaigns, drift, autocorrelation }: UnjudgedCalibration): CalibrationTest[] {
  return [
    {
      p: whole.p,
      words: `The second slot is ${moreOrLess(whole.relative)} than the first over all ${rounds} rounds (${roughP(whole.p)}), although they are the same: something favours one.`,
    },
    ...subCampaigns.flatMap(({ rounds: size, count, falsePositives, uniformity }) => [
      {
        p: binomialSurvival(falsePositives.count, count, 0.05),
        words: `Campaigns of ${size} rounds name a winner more often than the 5 % that the test allows: don’t trust its verdicts here.`,
      },
      ...(count < minForUniformity
        ? []
        : [
            {
              p: uniformity.p,
              words: `The p-values of sub-campaigns of ${size} rounds are not uniform (Kolmogorov–Smirnov, ${roughP(uniformity.p)}).`,
            },
          ]),
    ]),
    ...(autocorrelation === null
      ? []
      : [
          {
            p: autocorrelation.p,
            words: `Neighbouring rounds are not independent (correlation ${Number(autocorrelation.coefficient.toFixed(2))}, ${roughP(autocorrelation.p)}): p-values can’t be trusted.`,
          },
        ]),
    ...(drift === null
      ? []
      : [
          {
            p: drift.p,
            words: `Values drifted ${drift.tau > 0 ? 'up' : 'down'}, by ${percent(Math.abs(drift.change), 2)} from the first round to the last (Mann–Kendall, ${roughP(drift.p)}). Comparisons within rounds tolerate that, but the machine or the network changed.`,
          },
        ]),
  ];
}
