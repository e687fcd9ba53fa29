// Curves: what a CurvePlot is given.
import type { LineLook } from './shown-lines.ts';

export type CurvePoint = { x: number; y: number };
export type CurveLine = {
  name: string;
  /** By rising x. As steps: a point's y holds from its x until the next one's. */
  points: readonly CurvePoint[];
  look: () => LineLook;
};

/** What a curve says at x: of steps the one that holds there, else its next point; null beyond its ends. */
export function valueThere(points: readonly CurvePoint[], x: number, isStepped: boolean): number | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || x < first.x || x > last.x) return null;
  return (isStepped ? points.findLast((point) => point.x <= x) : points.find((point) => point.x >= x))?.y ?? null;
}
