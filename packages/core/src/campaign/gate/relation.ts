// How far one sample lies above another, with its uncertainty: of two protocols within rounds, or of two campaigns.

import { pseudomedian } from '../../math/hodges-lehmann.ts';
import { roundsToSettle } from '../../math/power.ts';
import { signedRankTest } from '../../math/signed-rank.ts';
import { type Allowed, allowedRatio } from '../../text/assertion.ts';
import { asShareOf, logRatios, type Pair } from '../../verdict/comparison.ts';
import { type Level, levelOf } from './level.ts';

/** Levels of the two one-sided tests: that an assertion holds, and that it does not. */
export interface Alphas {
  pass: number;
  /** Before Holm's correction, for the most significant of all. */
  fail: number;
}

/** The evidence of a sample about an assertion. */
export interface Evidence {
  /** Measured value; ±∞ if it lies among failed loads. */
  value: number | null;
  /** One-sided bounds at 1 − alphas.pass, also ±∞. */
  low: number | null;
  high: number | null;
  /** p-value of the claim that it holds. */
  pPass: number;
  /** p-value of the claim that it does not; uncorrected. */
  pFail: number;
  /** With fewer rounds no data could show that it holds. */
  minRounds: number;
  /** About how many rounds in all decide it, if this is the true value; null: unknown. */
  roundsToDecide: (value: number) => number | null;
}

/** A statistic of one sample against a limit. */
export function boundEvidence(level: Level, side: 'max' | 'min', limit: number, alphas: Alphas): Evidence {
  const max = side === 'max';
  return {
    value: level.value,
    low: level.low(alphas.pass),
    high: level.high(alphas.pass),
    pPass: max ? level.atMost(limit) : level.atLeast(limit),
    pFail: max ? level.above(limit) : level.below(limit),
    minRounds: level.minValues(side, alphas.pass, limit),
    // A shifted sample is like a shifted limit.
    roundsToDecide: (value) =>
      level.valuesToDecide(
        Number.isFinite(level.value - value) ? limit + level.value - value : limit,
        max ? { atMost: alphas.pass, above: alphas.fail } : { atMost: alphas.fail, above: alphas.pass },
      ),
  };
}

/**
 * The typical ratio within a round, which verdicts use: the one-sided signed-rank tests of ln(candidate ÷ baseline) against the logarithm
 * of the allowed ratio, with their Hodges–Lehmann interval. If a value is 0 there are no ratios; then candidate − allowed ratio × baseline
 * must not be above 0 in most rounds, by the sign test.
 *
 * A round in which one failed is the largest difference. A round in which both did counts against any claim. A limit is inclusive: a round
 * exactly at it keeps it, by the smallest difference of all. (A centre beyond the limit, however little, has such rounds on its good side.)
 */
export function shiftEvidence(pairs: readonly Pair[], allowed: Allowed, alphas: Alphas): Evidence {
  const ratio = allowedRatio(allowed);
  const minRounds = Math.ceil(-Math.log2(alphas.pass) - 1e-9);
  const logs = logRatios(pairs);
  const unknown = allowed.not === 'above' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (logs === null) {
    const differences = levelOf(
      'median',
      // Unknown values count against the claim, for both sides.
      pairs.map(({ candidate, baseline }) => candidate - ratio * baseline).map((one) => (Number.isNaN(one) ? unknown : one)),
    );
    const bound = boundEvidence(differences, allowed.not === 'above' ? 'max' : 'min', 0, alphas);
    // Values that are assumed worse must not make it fail either.
    const pFail = pairs.some(({ candidate, baseline }) => Number.isNaN(candidate - baseline)) ? 1 : bound.pFail;
    return { ...bound, value: null, low: null, high: null, pFail, minRounds };
  }
  const onLimit = allowed.not === 'above' ? -Number.MIN_VALUE : Number.MIN_VALUE;
  const beyond = logs.map((log) => log - Math.log(ratio)).map((one) => (Math.abs(one) <= 1e-12 ? onLimit : one));
  const [below, above] = [oneSided(filled(beyond, Number.POSITIVE_INFINITY), -1), oneSided(filled(beyond, Number.NEGATIVE_INFINITY), 1)];
  const { estimate, interval } = pseudomedian(logs, 1 - 2 * alphas.pass);
  return {
    value: Number.isNaN(estimate) ? null : asShareOf(estimate),
    low: interval && asShareOf(interval.low),
    high: interval && asShareOf(interval.high),
    pPass: allowed.not === 'above' ? below : above,
    pFail: allowed.not === 'above' ? above : below,
    minRounds,
    roundsToDecide: (value) => {
      const shift = Math.log1p(value) - Math.log(ratio);
      if (!beyond.every(Number.isFinite) || !Number.isFinite(shift)) return null;
      return roundsToSettle(beyond, { alpha: 2 * Math.min(alphas.pass, alphas.fail), shift })?.total ?? null;
    },
  };
}

const filled = (values: readonly number[], unknown: number) => values.map((value) => (Number.isNaN(value) ? unknown : value));

/** p-value of the claim that the centre lies on this side of 0. */
function oneSided(differences: readonly number[], side: 1 | -1): number {
  const { p, rankBiserial } = signedRankTest(differences);
  return Math.sign(rankBiserial) === side ? p / 2 : 1;
}

/**
 * The ratio of one statistic of two samples, paired or not. It is shown to be at most r if, for some t, the candidate's is shown to be at
 * most t and the baseline's to be at least t ÷ r, each at half of the level (Bonferroni). This assumes no more than the levels do, not even
 * that the samples are independent, so it needs more rounds than the shift does.
 */
export function ratioEvidence(candidate: Level, baseline: Level, allowed: Allowed, alphas: Alphas): Evidence {
  const ratio = allowedRatio(allowed);
  const shown = {
    notAbove: () => both(candidate, baseline, (t) => [candidate.atMost(t), baseline.atLeast(t / ratio)], ratio),
    above: () => both(candidate, baseline, (t) => [baseline.atMost(t / ratio), candidate.above(t)], ratio),
    notBelow: () => both(candidate, baseline, (t) => [baseline.atMost(t / ratio), candidate.atLeast(t)], ratio),
    below: () => both(candidate, baseline, (t) => [candidate.below(t), baseline.atLeast(t / ratio)], ratio),
  };
  const half = alphas.pass / 2;
  const share = (above: number | null, below: number | null) =>
    above === null || below === null || below === 0 || Number.isNaN(above / below)
      ? null
      : below === Number.POSITIVE_INFINITY
        ? Number.NEGATIVE_INFINITY
        : above / below - 1;
  const above = allowed.not === 'above';
  return {
    value: share(candidate.value, baseline.value),
    low: share(candidate.low(half), baseline.high(half)),
    high: share(candidate.high(half), baseline.low(half)),
    pPass: above ? shown.notAbove() : shown.notBelow(),
    pFail: above ? shown.above() : shown.below(),
    minRounds: Math.max(
      ...(['max', 'min'] as const).flatMap((side) => [candidate.minValues(side, half, 0), baseline.minValues(side, half, 0)]),
    ),
    roundsToDecide: (value) => {
      // As if the limit lay in the middle between the two, and had to be separated from both.
      const supposed = baseline.value * (1 + value);
      const t = (supposed + ratio * baseline.value) / 2;
      if (!Number.isFinite(t) || !Number.isFinite(candidate.value)) return null;
      const halves = { atMost: half, above: Math.min(alphas.pass, alphas.fail) / 2 };
      const [ofCandidate, ofBaseline] = [
        candidate.valuesToDecide(t + candidate.value - supposed, halves),
        baseline.valuesToDecide(t / ratio, halves),
      ];
      return ofCandidate === null || ofBaseline === null ? null : Math.max(ofCandidate, ofBaseline);
    },
  };
}

/**
 * Twice the minimum over t of the larger p: of the first, which falls as t grows, and of the second, which grows. If it is at most alpha,
 * some t has both at alpha ÷ 2, and if the claim were false one of the two bounds would be; so t may be chosen by the data. It lies between
 * the two values, or neither is shown.
 */
function both(candidate: Level, baseline: Level, ps: (t: number) => readonly [number, number], ratio: number): number {
  // Beyond all measured values nothing changes, and anything there lies among failed loads.
  const beyond = 2 * Math.max(candidate.largest, ratio * baseline.largest, 1);
  const values = [candidate.value, ratio * baseline.value].map((value) => Math.min(value, beyond));
  let [low, high] = values.sort((a, b) => a - b) as [number, number];
  let best = 1;
  for (let step = 0; step < 60 && low <= high; step++) {
    const t = (low + high) / 2;
    const [falling, growing] = ps(t);
    best = Math.min(best, Math.max(falling, growing));
    if (falling > growing) low = t;
    else high = t;
  }
  return Math.min(1, 2 * best);
}
