import { midranks } from './ranks.ts';
import { assertSample } from './sample.ts';

/** Numbers that belong together, such as a page's size and its H3-Delta. */
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
