import { ecdf } from '../../math/ecdf.ts';
import type { CumulativeSteps } from '../../schemas/across.ts';

/** The distribution function of a number of each site: that of `ecdf`, and no steps where no site has one. */
export function stepsOf(values: readonly number[]): CumulativeSteps {
  return values.length === 0 ? { values: [], shares: [] } : ecdf(values);
}
