import { normalQuantile, studentTQuantile } from './probability.ts';
import { midranks } from './ranks.ts';
import { assertSample } from './sample.ts';

/** The difference between two ways of measuring the same thing. */
export interface Agreement {
  n: number;
  /** Mean of the differences, second less first. */
  bias: number;
  /** Confidence interval of the bias. */
  interval: { low: number; high: number };
  /** Between these lie 95 % of the differences of single measurements. */
  limits: { low: number; high: number };
  /** Confidence interval of each limit. */
  limitIntervals: { low: { low: number; high: number }; high: { low: number; high: number } };
}

/** With fewer differences their spread says nothing. */
const minForAgreement = 3;

/**
 * Bland and Altman's limits of agreement: bias ± 1.96 s of the differences. The bias has Student's interval, each limit that of its
 * standard error s · √(1/n + 1.96² / (2(n − 1))) (Bland & Altman, Lancet 1986; Stat. Methods Med. Res. 1999, section 2).
 *
 * If differences grow with the measured value, as for times, pass logarithms: bias and limits are then those of ratios.
 *
 * @param pairs [first, second], in any unit; each of the same moment and thing
 * @returns null for fewer than three
 * @throws RangeError on a value that is not finite
 */
export function agreement(pairs: readonly (readonly [number, number])[], confidence = 0.95): Agreement | null {
  const differences = pairs.map(([first, second]) => second - first);
  if (!differences.every(Number.isFinite)) throw new RangeError('agreement: a value is not finite');
  const n = differences.length;
  if (n < minForAgreement) return null;
  const bias = differences.reduce((sum, one) => sum + one, 0) / n;
  const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - bias) ** 2, 0) / (n - 1));
  const [t, z] = [studentTQuantile((1 + confidence) / 2, n - 1), normalQuantile(0.975)];
  const around = (centre: number, half: number) => ({ low: centre - half, high: centre + half });
  const limits = around(bias, z * spread);
  const half = t * spread * Math.sqrt(1 / n + z ** 2 / (2 * (n - 1)));
  return {
    n,
    bias,
    interval: around(bias, (t * spread) / Math.sqrt(n)),
    limits,
    limitIntervals: { low: around(limits.low, half), high: around(limits.high, half) },
  };
}

/** Two values that belong together, such as a page's size and its H3-Delta. */
export type Pair = readonly [x: number, y: number];

/**
 * Pearson's correlation of two numbers: Σ(x − x̄)(y − ȳ) ÷ √(Σ(x − x̄)² Σ(y − ȳ)²), the same as R's `cor`. In [−1, 1].
 *
 * @returns null for fewer than 3 pairs, and where all values of one side are equal.
 * @throws RangeError on a value that is not finite.
 */
export function pearson(pairs: readonly Pair[]): number | null {
  return correlationOf(
    pairs.map(([x]) => x),
    pairs.map(([, y]) => y),
  );
}

/** Spearman's: Pearson's of the midranks, as R's `cor(method = "spearman")`. Parameters and results as of `pearson`. */
export function spearman(pairs: readonly Pair[]): number | null {
  return correlationOf([...midranks(pairs.map(([x]) => x)).ranks], [...midranks(pairs.map(([, y]) => y)).ranks]);
}

function correlationOf(xs: readonly number[], ys: readonly number[]): number | null {
  const n = xs.length;
  if (n < 3) return null;
  assertSample('correlation', xs);
  assertSample('correlation', ys);
  const centred = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / n;
    return values.map((value) => value - mean);
  };
  const isConstant = (values: readonly number[]) => values.every((value) => value === values[0]);
  if (isConstant(xs) || isConstant(ys)) return null;
  const [dx, dy] = [centred(xs), centred(ys)];
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
  return Math.max(-1, Math.min(1, dot(dx, dy) / Math.sqrt(dot(dx, dx) * dot(dy, dy))));
}
