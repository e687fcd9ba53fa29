// Cumulative curves: what an EcdfPlot is given.
import type { CumulativeSteps } from '@pronghorn/core/schemas';

export type EcdfLine = {
  name: string;
  /** The corners of the steps, as the API gives them. */
  steps: CumulativeSteps;
};

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
