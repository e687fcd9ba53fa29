// Thousands of visits as points of one row: where each stands, and which is the nearest. Pure.
import type { Distribution } from '@pronghorn/core/schemas';
import { jitterOf } from './jitter.ts';
import type { ScaleKind } from './scale.ts';
import type { SpreadPoint } from './spread.ts';

/** Points of one row, ascending by value. */
export type PointCloud = {
  points: readonly SpreadPoint[];
  values: Float64Array;
  /** How far each stands from the middle of its row: −1 to 1. */
  offsets: Float32Array;
};

/** How wide the violin is at each value of its grid, from 0 to 1 at its widest; on a logarithmic axis it is the logarithm's density. */
export function violinWidths({ values, densities }: NonNullable<Distribution['violin']>, scale: ScaleKind): number[] {
  const raw = densities.map((density, i) => density * (scale === 'log' ? (values[i] as number) : 1));
  const most = raw.reduce((a, b) => Math.max(a, b), 0);
  return raw.map((each) => (most === 0 ? 0 : each / most));
}

/** @param violin points stay within its shape; null: within a band. */
export function pointCloud(unsorted: readonly SpreadPoint[], violin: Distribution['violin'], scale: ScaleKind): PointCloud {
  const points = unsorted
    .filter(({ value }) => Number.isFinite(value) && (scale === 'linear' || value > 0))
    .sort((a, b) => a.value - b.value);
  const widths = violin ? violinWidths(violin, scale) : null;
  const [first = 0, last = 0] = violin ? [violin.values[0], violin.values.at(-1)] : [];
  const widthAt = (value: number): number => {
    if (!widths || last <= first) return 0.6;
    const at = Math.min(widths.length - 1, Math.max(0, ((value - first) / (last - first)) * (widths.length - 1)));
    const [below, above] = [widths[Math.floor(at)] ?? 0, widths[Math.ceil(at)] ?? 0];
    return 0.9 * (below + (above - below) * (at - Math.floor(at)));
  };
  return {
    points,
    values: Float64Array.from(points, ({ value }) => value),
    offsets: Float32Array.from(points, ({ value, visitId }) => jitterOf(visitId) * widthAt(value)),
  };
}

/** Place of the first value that is at least so large; their number where none is. */
export function firstFrom(values: Float64Array, least: number): number {
  let [below, above] = [0, values.length];
  while (below < above) {
    const middle = (below + above) >> 1;
    if ((values[middle] as number) < least) below = middle + 1;
    else above = middle;
  }
  return below;
}

/** The nearest point within `reach` pixels of where the pointer is, or null. @param dy from the middle of the row. */
export function nearest(
  cloud: PointCloud,
  x: (value: number) => number,
  range: readonly [number, number],
  { px, dy, spread, reach }: { px: number; dy: number; spread: number; reach: number },
): number | null {
  let found: number | null = null;
  let best = reach * reach;
  for (let i = firstFrom(cloud.values, range[0]); i < cloud.values.length; i++) {
    const dx = x(cloud.values[i] as number) - px;
    if (dx > reach) break;
    const distance = dx * dx + ((cloud.offsets[i] as number) * spread - dy) ** 2;
    if (distance <= best) [found, best] = [i, distance];
  }
  return found;
}
