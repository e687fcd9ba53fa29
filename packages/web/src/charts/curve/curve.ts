// Curves, and cumulative shares as stepped curves.
import type { CumulativeSteps } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
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
  /** What lies left and right of 0, in the winners' colours: the difference of two protocols. */
  sides?: readonly [left: Protocol, right: Protocol] | undefined;
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

/** So many lines have room for their names in the plot. */
export const maxNamed = 8;

/**
 * Where a cumulative curve has its name: each at a height of its own, since all of them end at 1, in the order of their medians from the top, so that
 * neighbours point to neighbours.
 */
export function namePlaces(lines: readonly { name: string; points: readonly CurvePoint[] }[]): { name: string; x: number; y: number }[] {
  const at = (points: readonly CurvePoint[], share: number) => points.find(({ y }) => y >= share)?.x ?? points.at(-1)?.x ?? 0;
  return lines
    .toSorted((a, b) => at(a.points, 0.5) - at(b.points, 0.5))
    .map(({ name, points }, index, { length }) => {
      const y = 1 - (index + 1) / (length + 1);
      return { name, x: at(points, y), y };
    });
}
