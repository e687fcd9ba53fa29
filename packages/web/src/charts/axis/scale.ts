// The range of an axis, and the round numbers beside it.

export type Range = readonly [low: number, high: number];
export type ScaleKind = 'linear' | 'log';

/** The range of the values with a margin, so that no dot stands on the edge; null without a value that the axis can show. */
export function domain(values: Iterable<number>, kind: ScaleKind = 'linear'): Range | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value) || (kind === 'log' && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return null;
  if (kind === 'log') {
    const margin = high > low ? (high / low) ** 0.04 : 1.1;
    return [low / margin, high * margin];
  }
  const margin = high > low ? (high - low) * 0.04 : Math.max(Math.abs(high) * 0.1, 1e-3);
  return [low >= 0 ? Math.max(0, low - margin) : low - margin, high + margin];
}

/** From a value to pixels. */
export function linear([low, high]: Range, [start, end]: Range): (value: number) => number {
  return (value) => start + ((value - low) / (high - low)) * (end - start);
}

/** About `count` round numbers within the range, never many more: 1, 2 or 5 times a power of ten apart. */
export function ticks([low, high]: Range, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Removes the noise of floating point, as in 0.30000000000000004.
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)) || 0);
}

/**
 * About `count` round numbers on a logarithmic axis: powers of ten with 2 and 5 between them as there is room; within less than half a
 * decade, where these would be two or three, the ticks of a linear axis.
 */
export function logTicks([low, high]: Range, count: number): number[] {
  const decades = Math.log10(high / low);
  if (!(decades > 0.5)) return ticks([low, high], count);
  const factors = count >= decades * 3 ? [1, 2, 5] : count >= decades * 2 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(1, count)));
  const values: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    if (every > 1 && power % every !== 0) continue;
    for (const factor of factors) {
      const value = Number((factor * 10 ** power).toPrecision(12));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) values.push(value);
    }
  }
  return values;
}
