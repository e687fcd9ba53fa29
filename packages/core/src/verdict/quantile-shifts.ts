// The difference between two protocols at each quantile of their times: the shift function of paired rounds.
import { sampleStandardDeviation } from 'simple-statistics';
import { drawsOf } from '../math/bootstrap-draws.ts';
import { betaCdf, binomialCdf, normalQuantile, studentTQuantile } from '../math/probability.ts';
import { randomSource } from '../math/random.ts';
import type { Pair } from './comparison.ts';
import { failed } from './counted-visits.ts';

interface QuantileShift {
  /** The quantile, in (0, 1). */
  p: number;
  /** ln(quantile of the candidate ÷ quantile of the baseline). */
  shift: number;
  /** Its standard error. */
  se: number;
  /** False if it may lie among failed loads: shift and se are then meaningless. */
  isKnown: boolean;
}

export interface QuantileShifts {
  shifts: QuantileShift[];
  /** This multiple of se, on both sides of the shift, covers all known shifts together with probability 1 − level. @param level in (0, 1) */
  bandReach: (level: number) => number;
  /** The same for one shift, so that everything above its lower end, or below its upper end, is right with 1 − level. @param level in (0, 1) */
  oneSidedReach: (level: number) => number;
}

/** The same number as for intervals of H3-Delta, so that both share their draws. */
const resamples = 2000;
const flips = 999;
/** Level of the test that fewer than 1 − p of the loads fail; otherwise the quantile p may lie among them. */
const failureLevel = 0.05;

/**
 * The difference of two distributions, quantile by quantile (Doksum & Sievers, "Plotting with confidence", Biometrika 63, 1976): between
 * quantiles of the two sides' times, not of the rounds' ratios, so that it shows what slow loads take, whichever rounds they are in.
 *
 * Quantiles are those of Harrell & Davis, "A new distribution-free quantile estimator", Biometrika 69 (1982): means of all sorted values,
 * weighted by how likely each is the quantile, here of logarithms. Standard errors are those of the bootstrap of whole rounds, since a
 * round's visits share their luck; the band is that of the largest deviation of all quantiles in units of them (sup-t; Montiel Olea &
 * Plagborg-Møller, Journal of Applied Econometrics 34, 2019), made wider by √(n ÷ (n − 1)) · t ÷ z, as a resample of few rounds varies less
 * than a sample does (`bootstrapIntervals`).
 *
 * A failed load lies above all measured ones, by an unknown amount: here it counts as the longest of both sides. A quantile below the
 * failures does not depend on their value. It is unknown unless a test shows at 5 %, for both sides, that it lies below them.
 *
 * @param pairs one for each round; positive, +∞ for a failed load
 * @param ps ascending, in (0, 1)
 * @returns null if a value is 0 and has no logarithm, and if no load has a time. O(n log n + resamples · n · ps).
 */
export function quantileShifts(pairs: readonly Pair[], ps: readonly number[], seed: number): QuantileShifts | null {
  const logs = logsOf(pairs);
  if (logs === null || ps.length === 0) return null;
  const n = pairs.length;
  const shares = betaShares(n, ps);
  const { counts } = drawsOf(n, resamples, seed);
  const rows = counts.length / n;
  const [candidate, baseline] = [logs.candidate, logs.baseline].map((values) => quantilesOf(values, counts, shares)) as [Drawn, Drawn];
  const seen = candidate.seen.map((quantile, i) => quantile - (baseline.seen[i] as number));
  const drawn = candidate.drawn.map((quantiles, i) => quantiles.map((quantile, row) => quantile - (baseline.drawn[i]?.[row] as number)));
  const failures = (['candidate', 'baseline'] as const).map((side) => pairs.filter((pair) => pair[side] === failed).length);
  const shifts = ps.map((p, place): QuantileShift => {
    const isKnown = failures.every((count) => binomialCdf(count, n, 1 - p) <= failureLevel);
    return { p, shift: seen[place] as number, se: sampleStandardDeviation(drawn[place] as unknown as number[]), isKnown };
  });
  const widened = (p: number) => (Math.sqrt(n / (n - 1)) * studentTQuantile(p, n - 1)) / normalQuantile(p);
  return {
    shifts,
    bandReach: (level) => {
      const largest = largestOf(
        drawn,
        seen,
        shifts.map(({ se, isKnown }) => (isKnown ? se : Number.POSITIVE_INFINITY)),
      ).sort();
      return widened(1 - level / 2) * (largest[Math.min(rows, Math.ceil((1 - level) * (rows + 1))) - 1] as number);
    },
    oneSidedReach: (level) => widened(1 - level) * normalQuantile(1 - level),
  };
}

/**
 * p-value for no difference at any quantile. If the protocol makes no difference, exchanging the two sides of a round is equally likely. So
 * the largest difference of all quantiles, in units of its spread over such exchanges, is compared with that of random ones. The observed
 * one is among them, so that p is valid however many are drawn (Phipson & Smyth, "Permutation p-values should never be zero", Statistical
 * Applications in Genetics and Molecular Biology 9, 2010).
 *
 * @param pairs and ps as of `quantileShifts`; failed loads count as the longest, so that p is valid with them too
 * @returns null as `quantileShifts`
 */
export function anyQuantileP(pairs: readonly Pair[], ps: readonly number[], seed: number): number | null {
  const logs = logsOf(pairs);
  if (logs === null || ps.length === 0) return null;
  const [n, quantiles] = [pairs.length, ps.length];
  const joint = [...logs.candidate, ...logs.baseline].map((value, place) => ({ value, round: place % n, side: place < n ? 0 : 1 }));
  joint.sort((a, b) => a.value - b.value);
  const values = Float64Array.from(joint, ({ value }) => value);
  const rounds = Uint32Array.from(joint, ({ round }) => round);
  const sides = Uint8Array.from(joint, ({ side }) => side);
  const weights = betaShares(n, ps).map((shares) => shares.subarray(1).map((share, place) => share - (shares[place] as number)));
  const random = randomSource(seed);
  const exchanged = new Uint8Array(n);
  const ranks = new Uint32Array(values.length);
  const signed = new Float64Array(values.length);
  const differences = ps.map(() => new Float64Array(flips + 1));
  for (let row = 0; row <= flips; row++) {
    if (row > 0) exchange(exchanged, random);
    let ofCandidate = 0;
    for (let place = 0; place < values.length; place++) {
      const isBaseline = (sides[place] as number) !== (exchanged[rounds[place] as number] as number);
      ranks[place] = isBaseline ? place - ofCandidate : ofCandidate++;
      signed[place] = isBaseline ? -(values[place] as number) : (values[place] as number);
    }
    for (let i = 0; i < quantiles; i++) (differences[i] as Float64Array)[row] = weighted(signed, weights[i] as Float64Array, ranks);
  }
  const aboutZero = differences.map((ofQuantile) => Math.sqrt(ofQuantile.reduce((sum, one) => sum + one * one, 0) / ofQuantile.length));
  const none = ps.map(() => 0);
  const largest = largestOf(differences, none, aboutZero);
  const reached = (largest[0] as number) - 1e-9;
  return largest.filter((one) => one >= reached).length / largest.length;
}

/** Logarithms with ∞ replaced by the largest measured value; null if there is none, or one is 0. */
function logsOf(pairs: readonly Pair[]): { candidate: number[]; baseline: number[] } | null {
  const all = pairs.flatMap(({ candidate, baseline }) => [candidate, baseline]);
  const largest = all.reduce((most, value) => (value === failed ? most : Math.max(most, value)), 0);
  if (largest === 0 || all.includes(0)) return null;
  const logOf = (value: number) => Math.log(Math.min(value, largest));
  return { candidate: pairs.map(({ candidate }) => logOf(candidate)), baseline: pairs.map(({ baseline }) => logOf(baseline)) };
}

interface Drawn {
  /** Quantiles of the values themselves. */
  seen: number[];
  /** For each quantile, those of all resamples. */
  drawn: Float64Array[];
}

/** A quantile is the largest value minus each step between sorted values, weighted by the chance that it lies below the step. */
function quantilesOf(values: readonly number[], counts: Uint16Array, shares: readonly Float64Array[]): Drawn {
  const n = values.length;
  const rounds = Uint32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number));
  const largest = values[rounds[n - 1] as number] as number;
  const steps = Float64Array.from(
    { length: n - 1 },
    (_, place) => (values[rounds[place + 1] as number] as number) - (values[rounds[place] as number] as number),
  );
  const passed = Uint32Array.from({ length: n - 1 }, (_, place) => place + 1);
  const seen = shares.map((ofQuantile) => largest - weighted(steps, ofQuantile, passed));
  const drawn = shares.map(() => new Float64Array(counts.length / n));
  for (let row = 0, start = 0; start < counts.length; row++, start += n) {
    let below = 0;
    for (let place = 0; place < n - 1; place++) {
      below += counts[start + (rounds[place] as number)] as number;
      passed[place] = below;
    }
    for (let i = 0; i < shares.length; i++) (drawn[i] as Float64Array)[row] = largest - weighted(steps, shares[i] as Float64Array, passed);
  }
  return { seen, drawn };
}

function weighted(values: Float64Array, weights: Float64Array, places: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] as number) * (weights[places[i] as number] as number);
  return sum;
}

/**
 * For each p and each count k of n values, from 0 on: the probability that the quantile p is among the lowest k, I(k ÷ n; (n + 1)p, (n +
 * 1)(1 − p)). A value's weight is its increment.
 */
function betaShares(n: number, ps: readonly number[]): readonly Float64Array[] {
  const key = `${n} ${ps}`;
  const known = sharesMade.get(key);
  if (known) return known;
  const shares = ps.map((p) => Float64Array.from({ length: n + 1 }, (_, k) => betaCdf(k / n, (n + 1) * p, (n + 1) * (1 - p))));
  if (sharesMade.size >= maxCached) sharesMade.clear();
  sharesMade.set(key, shares);
  return shares;
}

/** All cells of a campaign ask for the same. */
const sharesMade = new Map<string, Float64Array[]>();
const maxCached = 100;

/** For each resample, the largest distance from the expected value over the quantiles, in units of their spread; ∞ leaves one out. */
function largestOf(differences: readonly Float64Array[], expected: readonly number[], spreads: readonly number[]): Float64Array {
  const largest = new Float64Array(differences[0]?.length ?? 0);
  for (const [i, spread] of spreads.entries()) {
    // Differences within the error of arithmetic are none.
    if (spread < 1e-12) continue;
    const [ofQuantile, centre] = [differences[i] as Float64Array, expected[i] as number];
    for (let row = 0; row < largest.length; row++) {
      const distance = Math.abs((ofQuantile[row] as number) - centre) / spread;
      if (distance > (largest[row] as number)) largest[row] = distance;
    }
  }
  return largest;
}

/** Exchanges each round with probability ½; 32 rounds per random number. */
function exchange(exchanged: Uint8Array, random: () => number): void {
  let bits = 0;
  for (let round = 0; round < exchanged.length; round++) {
    if (round % 32 === 0) bits = Math.floor(random() * 2 ** 32);
    exchanged[round] = (bits >>> (round % 32)) & 1;
  }
}
