import { autocorrelation } from '../math/autocorrelation.ts';
import { type Interval, pseudomedian } from '../math/hodges-lehmann.ts';
import { uniformityTest } from '../math/kolmogorov-smirnov.ts';
import { smallestDetectable } from '../math/power.ts';
import { proportion } from '../math/proportion.ts';
import { median } from '../math/quantile.ts';
import { randomSource } from '../math/random.ts';
import { randomisedSignedRankP } from '../math/randomised-p.ts';
import { signedRankCriticalDepth, signedRankTest } from '../math/signed-rank.ts';
import { untiedLowerTail } from '../math/signed-rank-distribution.ts';
import { trend } from '../math/trend.ts';
import type { Calibration, SubCampaigns } from '../schemas/calibration.ts';
import { calibrationWords, type FoundCalibration } from '../text/calibration.ts';
import { tied } from '../verdict/comparison.ts';
import { failed } from '../verdict/counted-visits.ts';
import { knownOrNull, summarise } from '../verdict/summary.ts';
import { minCalibrationRounds } from '../vocabulary/choices.ts';

const alpha = 0.05;

/** One metric of the two visits of a round that should be alike, in its unit; +∞ for a load that failed. */
export type AaRound = { first: number; second: number };

/**
 * What the rounds of an A/A campaign (h2 against h2, h3 against h3) say: how often the primary test names a winner where there is none,
 * whether its p-values are uniform, whether the rounds are what it assumes (independent, without a difference), whether the machine stayed
 * as it was, and how small a difference it lets one see.
 *
 * Disjoint runs of rounds stand for campaigns of that size. p-values of an exact test on few rounds take few values, so that they are not
 * uniform where all is well: uniformity is asked of randomised p-values (`randomisedSignedRankP`), false positives are counted by p itself.
 *
 * @param rounds of one protocol, metric and condition, in the order of time.
 * @param options.seed decides the randomised p-values and what is resampled.
 * @param options.subCampaignRounds sizes of sub-campaigns; default 10 and 20; the first is the one that `words` speak of. Those that do
 *   not fit are left out.
 * @param options.plannedRounds for which to tell the smallest detectable difference; default 5, 10, 20, 50, 100.
 * @returns without its cautions, which depend on what else is tested (`judgeCalibration`); null for fewer than 10 rounds in which both loaded.
 * @throws RangeError on a value that is not positive, and on sizes that are no positive integers.
 */
export function calibration(
  rounds: readonly AaRound[],
  options: { seed: number; subCampaignRounds?: readonly number[]; plannedRounds?: readonly number[] },
): FoundCalibration | null {
  const { seed, subCampaignRounds = [10, 20], plannedRounds = [5, 10, 20, 50, 100] } = options;
  assertRounds(rounds);
  const badSize = [...subCampaignRounds, ...plannedRounds].find((size) => !Number.isInteger(size) || size < 1);
  if (badSize !== undefined) throw new RangeError(`calibration: a size is ${badSize}, expected a positive integer`);
  if (rounds.length < minCalibrationRounds) return null;

  const logRatios = rounds.map(({ first, second }) => Math.log(second / first));
  const loaded = rounds.filter(({ first, second }) => Number.isFinite(first + second));
  // Of so few that loaded nothing is said.
  if (loaded.length < minCalibrationRounds) return null;
  const noise = loaded.map(({ first, second }) => Math.log(second / first));
  const failures = (which: keyof AaRound) => rounds.filter((round) => round[which] === failed).length;
  const found: Omit<FoundCalibration, 'words'> = {
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
  return { words: calibrationWords(found), ...found };
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

/** The chance of p ≤ alpha under the null: of the exact test without ties the largest that is not above alpha. */
function attainedLevel(rounds: number): number {
  if (rounds > 100) return alpha;
  const depth = signedRankCriticalDepth(rounds, alpha);
  return depth === 0 ? 0 : 2 * (untiedLowerTail(rounds)[depth - 1] as number);
}

/** Of the mean of both visits' logarithms. */
function driftOf(rounds: readonly AaRound[]): Calibration['drift'] {
  const found = trend(rounds.map(({ first, second }) => (Math.log(first) + Math.log(second)) / 2));
  return found && { tau: found.tau, p: found.p, change: Math.expm1(found.slope * (rounds.length - 1)) };
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
