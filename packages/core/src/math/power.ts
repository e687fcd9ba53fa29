// Planning: the rounds that settle a comparison, and the smallest shift that a number of rounds can detect.

import { pseudomedian } from './hodges-lehmann.ts';
import { walshAveragesAt } from './pair-orders.ts';
import { normalCdf } from './probability.ts';
import { randomSource } from './random.ts';
import { assertSample } from './sample.ts';
import { signedRankCriticalDepth } from './signed-rank.ts';

/** Fewer rounds say nothing about how much rounds differ. */
const minRounds = 3;

type RoundsToSettle = {
  /** Rounds in all, including the known ones; null: more than `maxRounds`. */
  total: number | null;
  /** Rounds beyond the known ones, at least 1, because the caller's comparison is not settled yet; null: `maxRounds` is not enough. */
  more: number | null;
  /** What they would show. */
  settles: 'difference' | 'equivalence' | null;
  maxRounds: number;
};

/**
 * How many rounds in all would settle a comparison with the given power, if later rounds are like the known ones: the smallest n for which
 * the two-sided signed-rank test finds a difference or, if a margin is given and needs fewer rounds, for which TOST finds equivalence.
 *
 * Analytic (`signedRankPower`), because a campaign needs this for tens of thousands of comparisons, and simulating each would take minutes;
 * not by the test's asymptotic relative efficiency, which needs the shape of the distribution and is far off for small n.
 *
 * Later rounds are assumed to be like the known ones, mirrored about their pseudomedian (the test's model is symmetric) and spread by √(n ÷
 * (n − 1)): so five rounds on one side do not guarantee a sixth. By simulation (normal, heavy tails, two modes; 400 known rounds) the
 * result is right to within three rounds. From few rounds it is as uncertain as their shift and spread: if 26 is right, half of the results
 * lie between 10 and 71 from 5 rounds, 13 and 48 from 10, 19 and 36 from 50. It is no licence to look again after each round: that needs a
 * sequential rule.
 *
 * @param logRatios ln(h3 ÷ h2), one for each round.
 * @param options.alpha of the comparison, after any correction for others; default 0.05.
 * @param options.equivalenceAlpha of each one-sided test of TOST; default alpha.
 * @param options.power chance to settle, in (0, 1); default 0.8.
 * @param options.shift true centre to plan for, a logarithm; default: the pseudomedian seen.
 * @param options.margin a relative difference that counts as none, as for `equivalence`; default: only a difference settles.
 * @param options.maxRounds where to stop; default 1,000.
 * @returns null for fewer than 3 rounds.
 * @throws RangeError on an empty sample, a value that is not finite, and options outside their ranges.
 */
export function roundsToSettle(
  logRatios: readonly number[],
  options: { alpha?: number; equivalenceAlpha?: number; power?: number; shift?: number; margin?: number; maxRounds?: number } = {},
): RoundsToSettle | null {
  const { alpha = 0.05, equivalenceAlpha = alpha, power = 0.8, shift, margin, maxRounds = 1000 } = options;
  assertSample('rounds to settle', logRatios);
  assertLevels('rounds to settle', alpha, power);
  assertLevels('rounds to settle', equivalenceAlpha, power);
  if (shift !== undefined && !Number.isFinite(shift)) throw new RangeError(`rounds to settle: shift is ${shift}, expected a finite number`);
  if (margin !== undefined && !(margin > 0)) throw new RangeError(`rounds to settle: margin is ${margin}, expected a number above 0`);
  if (!Number.isInteger(maxRounds) || maxRounds < 1)
    throw new RangeError(`rounds to settle: maxRounds is ${maxRounds}, expected a positive integer`);
  const seen = logRatios.length;
  if (seen < minRounds) return null;

  const { estimate } = pseudomedian(logRatios);
  const centre = shift ?? estimate;
  const spread = Math.sqrt(seen / (seen - 1));
  const errors = Float64Array.from(logRatios.flatMap((value) => [spread * (value - estimate), spread * (estimate - value)])).sort();
  // Errors are symmetric, so that a centre below 0 has the power of the one above 0.
  const exceeding = exceedances(errors, Math.abs(centre));
  const difference = smallestWith(power, maxRounds, (n) => signedRankPower(exceeding, n, alpha));
  // It only matters if it comes first.
  const before = difference === null ? maxRounds : difference - 1;
  const equivalence =
    margin === undefined
      ? null
      : roundsToEquivalence(errors, centre, Math.log1p(margin), { alpha: equivalenceAlpha, power, maxRounds: before });
  const total = equivalence ?? difference;
  if (total === null) return { total, more: null, settles: null, maxRounds };
  return { total, more: Math.max(1, total - seen), settles: equivalence === null ? 'difference' : 'equivalence', maxRounds };
}

function roundsToEquivalence(
  errors: Float64Array,
  centre: number,
  bound: number,
  { alpha, power, maxRounds }: { alpha: number; power: number; maxRounds: number },
): number | null {
  const [above, below] = [exceedances(errors, bound + centre), exceedances(errors, bound - centre)];
  // Both one-sided tests must reject; this is the lower bound of both at once that their two powers leave.
  return smallestWith(power, maxRounds, (n) => signedRankPower(above, n, 2 * alpha) + signedRankPower(below, n, 2 * alpha) - 1);
}

/**
 * The smallest n up to `maxRounds` with the power; null if `maxRounds` lacks it. Each n is tried while the test is exact: its power rises in saw teeth.
 */
function smallestWith(power: number, maxRounds: number, powerAt: (n: number) => number): number | null {
  if (maxRounds > countedUpTo && powerAt(maxRounds) < power) return null;
  for (let n = 1; n <= Math.min(maxRounds, countedUpTo); n++) if (powerAt(n) >= power) return n;
  if (maxRounds <= countedUpTo) return null;
  let [without, enough] = [countedUpTo, maxRounds];
  while (enough - without > 1) {
    const middle = (without + enough) >> 1;
    if (powerAt(middle) >= power) enough = middle;
    else without = middle;
  }
  return enough;
}

type SmallestDetectable = {
  /** Shift of the log-ratios. */
  logShift: number;
  /** The same as a relative difference: 0.05 detects a protocol that is 5 % slower, or faster by 1 − 1 ÷ 1.05. */
  relative: number;
};

/**
 * The smallest shift that this many rounds detect with the given power, with the noise that A/A rounds show for a machine and page.
 *
 * Rounds are drawn from the given ones with replacement, each with a random sign, because in A/A either slot could have been the first. By
 * the duality of test and interval, the signed-rank test of a draw shifted by s rejects, towards the right side, exactly if s exceeds the
 * distance from 0 to the lower end of the draw's Hodges–Lehmann interval: one interval for each draw instead of a search over tests of
 * shifted draws, and the result is a quantile of these distances. Its Monte Carlo error is a quantile's: 2,000 draws place a power of 0.8
 * to ±0.02. The noise is assumed to be that of the A/A rounds, whatever the shift: log-ratios, hence proportional to the load time.
 *
 * @param differencesUnderNull log-ratios of A/A rounds, ln(second ÷ first); 50 or more, or the tails of the noise are missing.
 * @param options.rounds of the comparison to plan; O(repetitions × rounds²).
 * @param options.alpha after any correction for other comparisons; default 0.05.
 * @param options.power in (0, 1); default 0.8.
 * @param options.repetitions default 2,000.
 * @returns null if no shift is ever found: too few rounds to reach alpha (5 at 0.05).
 * @throws RangeError on an empty sample, a value that is not finite, differences that are all 0, and options outside their
 *   ranges.
 */
export function smallestDetectable(
  differencesUnderNull: readonly number[],
  options: { rounds: number; seed: number; alpha?: number; power?: number; repetitions?: number },
): SmallestDetectable | null {
  const { rounds, seed, alpha = 0.05, power = 0.8, repetitions = 2000 } = options;
  assertSample('smallest detectable shift', differencesUnderNull);
  assertLevels('smallest detectable shift', alpha, power);
  for (const [name, value] of Object.entries({ rounds, repetitions })) {
    if (!Number.isInteger(value) || value < 1)
      throw new RangeError(`smallest detectable shift: ${name} is ${value}, expected a positive integer`);
  }
  if (differencesUnderNull.every((difference) => difference === 0)) {
    throw new RangeError('smallest detectable shift: all differences are 0, expected noise, which every clock shows');
  }
  const depth = signedRankCriticalDepth(rounds, alpha);
  if (depth === 0) return null;
  const random = randomSource(seed);
  const drawn = () => (differencesUnderNull[Math.floor(random() * differencesUnderNull.length)] as number) * (random() < 0.5 ? -1 : 1);
  // Only the lower end of the interval that `pseudomedian` has.
  const lowerEnd = (draw: number[]) => walshAveragesAt(draw, [depth - 1])[0] as number;
  const needed = Float64Array.from({ length: repetitions }, () => -lowerEnd(Array.from({ length: rounds }, drawn))).sort();
  const logShift = Math.max(0, needed[Math.ceil(power * repetitions) - 1] as number);
  return { logShift, relative: Math.expm1(logShift) };
}

function assertLevels(what: string, alpha: number, power: number): void {
  if (!(alpha > 0 && alpha < 0.5)) throw new RangeError(`${what}: alpha is ${alpha}, expected a number in (0, 0.5)`);
  if (!(power > 0 && power < 1)) throw new RangeError(`${what}: power is ${power}, expected a number in (0, 1)`);
}

/** Up to this many rounds critical values are counted, and cached here. */
const countedUpTo = 100;

/** P(X > 0), P(X + X′ > 0), P(X + X′ > 0 and X + X″ > 0). */
type Exceedances = { p1: number; p2: number; p3: number };

/**
 * For independent draws from `errors` plus `shift`; 0 counts half. Two pointers: linear, once sorted.
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
 * The probability that the signed-rank test of n rounds, two-sided at `alpha`, rejects towards above 0.
 *
 * W+ is the number of positive Walsh averages, so its mean is n p₁ + n(n − 1)p₂/2 and its variance n p₁(1 − p₁) + n(n − 1)[2(p₁
 * − p₂)² + 3p₂(1 − p₂)]/2 + n(n − 1)(n − 2)(p₃ − p₂²) (Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975,
 * §4.2). The power is the normal probability, with continuity correction, of reaching the critical value of the test itself; if only n
 * rounds on one side reach it, p₁ⁿ.
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
  // Beyond 8 the approximation only says never and always.
  return normalCdf(Math.max(-8, Math.min(8, (mean - critical + 0.5) / Math.sqrt(variance))));
}

const depths = new Map<number, number[]>();

/** `signedRankCriticalDepth`, cached while it is counted. */
function depthOf(n: number, alpha: number): number {
  if (n > countedUpTo) return signedRankCriticalDepth(n, alpha);
  if (depths.size > 100) depths.clear();
  const known = depths.get(alpha) ?? [];
  depths.set(alpha, known);
  known[n] ??= signedRankCriticalDepth(n, alpha);
  return known[n];
}
