// How much one sample lies above another, and how sure that is: of two protocols within rounds, or of two campaigns.

import { pseudomedian } from '../../math/hodges-lehmann.ts';
import { roundsToSettle } from '../../math/power.ts';
import { signedRankTest } from '../../math/signed-rank.ts';
import { type Allowed, allowedRatio } from '../../text/assertion.ts';
import { asShareOf, logRatios, type Pair } from '../../verdict/comparison.ts';
import { type Level, levelOf } from './level.ts';

/** Levels of the two one-sided tests: that it holds, and that it does not. */
export interface Alphas {
  pass: number;
  /** Before Holm's correction, of the most significant of all. */
  fail: number;
}

/** What a sample says of an assertion. */
export interface Evidence {
  /** Measured; ±∞ where it lies among loads that failed. */
  value: number | null;
  /** One-sided bounds at 1 − alphas.pass, ±∞ too. */
  low: number | null;
  high: number | null;
  /** p-value of: it holds. */
  pPass: number;
  /** p-value of: it does not; not corrected. */
  pFail: number;
  /** Of fewer rounds no data could show that it holds. */
  fewest: number;
  /** About how many rounds in all decide it, where the true value is this one; null: nobody can say. */
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
    fewest: level.fewest(side, alphas.pass, limit),
    // A sample that lies elsewhere is one whose limit does.
    roundsToDecide: (value) =>
      level.valuesToDecide(
        Number.isFinite(level.value - value) ? limit + level.value - value : limit,
        max ? { atMost: alphas.pass, above: alphas.fail } : { atMost: alphas.fail, above: alphas.pass },
      ),
  };
}

/**
 * The typical ratio within a round, which is what verdicts are made of: the one-sided signed-rank tests of ln(candidate ÷ baseline)
 * against the logarithm of the allowed ratio, and the Hodges–Lehmann interval that belongs to them. Where a value is 0 there are no ratios;
 * then in most rounds candidate − allowed ratio × baseline must not be above 0, by the sign test.
 *
 * A round in which one failed is the largest difference. One in which both did says nothing: it counts against whatever is to be shown. A limit may be
 * reached: a round exactly at it keeps it, by the least difference of all. (A centre beyond the limit, however little, has such rounds on its good side.)
 */
export function shiftEvidence(pairs: readonly Pair[], allowed: Allowed, alphas: Alphas): Evidence {
  const ratio = allowedRatio(allowed);
  const fewest = Math.ceil(-Math.log2(alphas.pass) - 1e-9);
  const logs = logRatios(pairs);
  const unknown = allowed.not === 'above' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if (logs === null) {
    const differences = levelOf(
      'median',
      // Against what is to be shown: above 0 where it must not be, for both.
      pairs.map(({ candidate, baseline }) => candidate - ratio * baseline).map((one) => (Number.isNaN(one) ? unknown : one)),
    );
    const bound = boundEvidence(differences, allowed.not === 'above' ? 'max' : 'min', 0, alphas);
    // What is taken as worse must not make it fail either.
    const pFail = pairs.some(({ candidate, baseline }) => Number.isNaN(candidate - baseline)) ? 1 : bound.pFail;
    return { ...bound, value: null, low: null, high: null, pFail, fewest };
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
    fewest,
    roundsToDecide: (value) => {
      const shift = Math.log1p(value) - Math.log(ratio);
      if (!beyond.every(Number.isFinite) || !Number.isFinite(shift)) return null;
      return roundsToSettle(beyond, { alpha: 2 * Math.min(alphas.pass, alphas.fail), shift })?.total ?? null;
    },
  };
}

const filled = (values: readonly number[], unknown: number) => values.map((value) => (Number.isNaN(value) ? unknown : value));

/** p-value of: the centre lies on this side of 0. */
function oneSided(differences: readonly number[], side: 1 | -1): number {
  const { p, rankBiserial } = signedRankTest(differences);
  return Math.sign(rankBiserial) === side ? p / 2 : 1;
}

/**
 * The ratio of one statistic of two samples, paired or not: that it is at most r is shown where for some t the candidate's is shown to be at
 * most t, and the baseline's to be at least t ÷ r, each at half of the level (Bonferroni). It assumes no more than the levels do, not
 * even that the samples are independent of each other, and so takes more rounds than the shift does.
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
    fewest: Math.max(...(['max', 'min'] as const).flatMap((side) => [candidate.fewest(side, half, 0), baseline.fewest(side, half, 0)])),
    roundsToDecide: (value) => {
      // As if the limit lay in the middle between the two, and had to be told from both.
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
 * Twice the smallest, over t, of the larger p: of the first, which falls as t grows, and of the second, which grows. Where it is at most
 * alpha, some t has both at alpha ÷ 2, and if the claim were false one of the two bounds would be; so t may be chosen by the data. It
 * lies between the two values, or neither is shown.
 */
function both(candidate: Level, baseline: Level, ps: (t: number) => readonly [number, number], ratio: number): number {
  // Beyond all that were measured nothing changes, and what lies there is among loads that failed.
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
