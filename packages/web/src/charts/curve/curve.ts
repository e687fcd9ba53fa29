// Curves, and cumulative shares as stepped curves.
import type { CumulativeSteps } from '@pronghorn/core/schemas';
import type { Range } from '../axis/scale.ts';
import type { LineLook } from '../frame/palette.ts';

export type CurvePoint = { x: number; y: number };
export type CurveLine = {
  name: string;
  /** By rising x. As steps: a point's y holds from its x until the next one's. */
  points: readonly CurvePoint[];
  look: () => LineLook;
};

/** The axis x. */
export interface CurveAxis {
  title: string;
  range: Range;
  /** @param apart distance to the next tick; none for a value that is read */
  text: (value: number, apart?: number) => string;
  /** Where its numbers stand, if not at round ones. */
  ticks?: readonly number[];
  /** Where lines cross the plot. */
  marks?: readonly number[];
}

/** A curve's value at x: its step there, or else its next point; null beyond its ends. */
export function valueThere(points: readonly CurvePoint[], x: number, isStepped: boolean): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || x < first.x || x > last.x) return null;
  return (isStepped ? points.findLast((point) => point.x <= x) : points.find((point) => point.x >= x))?.y ?? null;
}

/** Shares of values at or below, over all of the axis: 0 below the smallest, 1 from the largest on. */
export const cumulativePoints = ({ values, shares }: CumulativeSteps, [low, high]: Range): CurvePoint[] => [
  { x: low, y: 0 },
  ...values.map((x, i) => ({ x, y: shares[i] as number })),
  { x: high, y: 1 },
];
