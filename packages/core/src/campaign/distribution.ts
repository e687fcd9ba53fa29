import { ecdf, markOutliers, violin } from '../math/distribution.ts';
import type { CampaignDistributions, Distribution } from '../schemas/distribution.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { atLeastMsOf } from '../verdict/counted-visits.ts';
import { findModes } from '../verdict/modes.ts';
import { boxOf, finiteOf, summariseLoads } from '../verdict/summary.ts';
import type { View } from '../vocabulary/cell.ts';
import type { MeasuredCampaign, MeasuredCell } from './measured/measured.ts';

/**
 * The distribution of a sample, in the unit of its values. Density, modes and outliers use the loads that have a time.
 * @param sample +∞ for a failed load. @param atLeastMs lower bound of the time of a failed load.
 * @throws RangeError on an empty sample and on NaN.
 */
export function distributionOf(sample: readonly number[], atLeastMs: number | null = null): Distribution {
  const summary = summariseLoads(sample, atLeastMs);
  const finite = finiteOf(sample);
  const some = finite.length > 0;
  return {
    n: sample.length,
    censored: summary.censored,
    box: boxOf(summary),
    ecdf: ecdf(sample),
    violin: some ? violin(finite) : null,
    modes: some ? findModes(finite) : null,
    outliers: some ? markOutliers(finite).outliers.map(({ index, side }) => ({ value: finite[index] as number, side })) : [],
  };
}

/** Selects cells; undefined: all. */
type CellFilter = { siteId?: string; condition?: string; view?: View };

/** The distributions of one metric in a campaign, slot by slot. */
export function campaignDistributions(
  { campaign: { id, spec }, cells }: MeasuredCampaign,
  metric: MetricName,
  filter: CellFilter = {},
): CampaignDistributions {
  const isWanted = (cell: MeasuredCell) =>
    (['siteId', 'condition', 'view'] as const).every((key) => filter[key] === undefined || filter[key] === cell[key]);
  return {
    campaignId: id,
    metric,
    cells: cells.filter(isWanted).map(({ siteId, condition, view, slots }) => ({
      ...{ siteId, condition, view },
      slots: slots.map(({ protocol, counted }, slot) => {
        const sample = counted.sampleOf(metric);
        return { slot, protocol, distribution: sample.length === 0 ? null : distributionOf(sample, atLeastMsOf(spec)) };
      }),
    })),
  };
}
