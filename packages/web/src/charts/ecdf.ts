// Cumulative curves: what an EcdfPlot is given.
import type { CumulativeSteps, Protocol } from '@pronghorn/core';

export type EcdfLine = {
  name: string;
  /** Draws it in the protocol's colour; without one, lines get colours and dashes of their own in their order. */
  protocol?: Protocol;
} & (
  | {
      /** The corners of the steps, as the API gives them. */
      steps: CumulativeSteps;
      values?: never;
    }
  | { /** In any order. */ values: readonly number[]; steps?: never }
);

/** The corners of an empirical distribution's steps. */
export function stepsOf(line: EcdfLine): CumulativeSteps {
  if (line.steps !== undefined) return line.steps;
  const sorted = line.values.toSorted((a, b) => a - b);
  const steps: CumulativeSteps = { values: [], shares: [] };
  sorted.forEach((value, i) => {
    if (value === sorted[i + 1]) return;
    steps.values.push(value);
    steps.shares.push((i + 1) / sorted.length);
  });
  return steps;
}

/** Share of values at most so large: 0 below the smallest, 1 from the largest on. */
export function shareAt({ values, shares }: CumulativeSteps, value: number): number {
  let [below, above] = [0, values.length];
  while (below < above) {
    const middle = (below + above) >> 1;
    if ((values[middle] as number) <= value) below = middle + 1;
    else above = middle;
  }
  return below === 0 ? 0 : (shares[below - 1] as number);
}
