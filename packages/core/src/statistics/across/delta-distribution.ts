import type { DeltaDistribution, SiteClass } from '../../schemas/across.ts';
import { siteClass } from './site-class.ts';
import { stepsOf } from './steps.ts';

/**
 * How H3-Delta spreads over sites (Trevisan et al. 2021, figure 7; of one provider's sites: figure 8): the steps of its
 * distribution function, and how many sites are in each class. Every site weighs the same. n log n in the number of sites.
 *
 * @param deltas one for each site; null for a site that has none, which is counted apart.
 * @throws RangeError on a number outside [−1, 1].
 */
export function deltaDistribution(deltas: readonly (number | null)[]): DeltaDistribution {
  const known = deltas.filter((delta) => delta !== null);
  const counts: Record<SiteClass, number> = { below: 0, within: 0, above: 0 };
  for (const delta of known) counts[siteClass(delta)]++;
  const of = (name: SiteClass) => ({ sites: counts[name], share: known.length === 0 ? 0 : counts[name] / known.length });
  return {
    sites: known.length,
    withoutDelta: deltas.length - known.length,
    classes: { below: of('below'), within: of('within'), above: of('above') },
    steps: stepsOf(known),
  };
}

/**
 * The same for each provider. The one with most sites comes first (of equals, by name), `unknown` last, so that charts agree on
 * order.
 * @param sites with provider and H3-Delta.
 */
export function deltaByProvider(
  sites: readonly { provider: string; delta: number | null }[],
): { provider: string; delta: DeltaDistribution }[] {
  const isUnknown = (provider: string) => Number(provider === 'unknown');
  return [...Map.groupBy(sites, ({ provider }) => provider)]
    .toSorted(([a, ofA], [b, ofB]) => isUnknown(a) - isUnknown(b) || ofB.length - ofA.length || a.localeCompare(b, 'en'))
    .map(([provider, its]) => ({ provider, delta: deltaDistribution(its.map(({ delta }) => delta)) }));
}
