// Which visit of a SpreadPlot is meant by a place on it, or by a key. Pure but for the chart whose places it reads.
import type { Chart } from 'chart.js';
import { nearest } from './point-cloud.ts';
import { rowPlace, type SpreadRow } from './spread-rows.ts';

/** Place of its row, and its place in the row's cloud. */
export type PickedPoint = { row: number; index: number };
type Counts = { groups: number; slots: number };
type Places = Pick<Chart, 'chartArea' | 'scales'>;

/** In CSS pixels of the chart. @returns null where it isn't shown. */
export function pointPlace(
  { row: at, index }: PickedPoint,
  rows: readonly SpreadRow[],
  counts: Counts,
  { chartArea, scales }: Places,
): { x: number; y: number } | null {
  const row = rows[at];
  const value = row?.cloud.values[index];
  if (!row || value === undefined || !scales.x || value < scales.x.min || value > scales.x.max) return null;
  const { middle, half } = rowPlace(row, counts, chartArea);
  return { x: scales.x.getPixelForValue(value), y: middle + (row.cloud.offsets[index] as number) * half };
}

/** The nearest visit of the row there. */
export function pointAt(
  x: number,
  y: number,
  rows: readonly SpreadRow[],
  counts: Counts,
  { chartArea, scales }: Places,
  reach: number,
): PickedPoint | null {
  const axis = scales.x;
  if (!axis) return null;
  for (const [at, row] of rows.entries()) {
    const { middle, half } = rowPlace(row, counts, chartArea);
    if (Math.abs(y - middle) > half + 2) continue;
    const range = [Math.max(axis.min, axis.getValueForPixel(x - reach) ?? axis.min), axis.max] as const;
    const index = nearest(row.cloud, (value) => axis.getPixelForValue(value), range, { px: x, dy: y - middle, spread: half, reach });
    if (index !== null) return { row: at, index };
  }
  return null;
}

/**
 * From visit to visit: left and right to the next value of the row, up and down to the nearest value of the next row, Home and End to the row's ends.
 * @returns null where the key does nothing.
 */
export function stepped(key: string, from: PickedPoint | null, rows: readonly SpreadRow[]): PickedPoint | null {
  const lengthOf = (row: number) => rows[row]?.cloud.values.length ?? 0;
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return null;
  if (from === null) {
    const row = rows.findIndex(({ cloud }) => cloud.values.length > 0);
    return row < 0 ? null : { row, index: Math.floor(lengthOf(row) / 2) };
  }
  const { row, index } = from;
  const last = lengthOf(row) - 1;
  switch (key) {
    case 'ArrowLeft':
      return { row, index: Math.max(0, index - 1) };
    case 'ArrowRight':
      return { row, index: Math.min(last, index + 1) };
    case 'Home':
      return { row, index: 0 };
    case 'End':
      return { row, index: last };
    default: {
      const step = key === 'ArrowUp' ? -1 : 1;
      let next = row + step;
      while (next >= 0 && next < rows.length && lengthOf(next) === 0) next += step;
      if (lengthOf(next) === 0) return from;
      const value = rows[row]?.cloud.values[index] as number;
      return { row: next, index: closest(rows[next]?.cloud.values ?? new Float64Array(), value) };
    }
  }
}

function closest(values: Float64Array, value: number): number {
  let best = 0;
  values.forEach((each, i) => {
    if (Math.abs(each - value) < Math.abs((values[best] as number) - value)) best = i;
  });
  return best;
}
