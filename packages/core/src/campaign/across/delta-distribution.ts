import type { DeltaDistribution, SiteClass } from '../../schemas/across.ts';
import { counted } from '../../text/numbers.ts';
import { liesWithin, siteClass, siteClassLimit } from './site-class.ts';
import { stepsOf } from './steps.ts';

export interface DeltaOfSite {
  /** Null: the site has none. */
  delta: number | null;
  /** Null: there is none, or an end is unbounded. */
  interval: { low: number; high: number } | null;
  /** As `noiseBeyond` says. */
  noise: number | null;
}

/**
 * How H3-Delta spreads over sites (Trevisan et al. 2021, figure 7; of one provider's sites: figure 8): the steps of its
 * distribution function, how many sites are in each class, how many of them surely, and how many noise alone would carry out of the middle. Every
 * site weighs the same. n log n in the number of sites.
 *
 * @param deltas one for each site; those that have none are counted apart.
 * @throws RangeError on a number outside [−1, 1].
 */
export function deltaDistribution(deltas: readonly DeltaOfSite[]): DeltaDistribution {
  const known = deltas.flatMap(({ delta, interval }) => (delta === null ? [] : [{ delta, interval, name: siteClass(delta) }]));
  const of = (name: SiteClass) => {
    const its = known.filter((site) => site.name === name);
    const sure = its.filter(({ interval }) => liesWithin(interval, name)).length;
    return { sites: its.length, share: known.length === 0 ? 0 : its.length / known.length, sure };
  };
  const noises = deltas.flatMap(({ delta, noise }) => (delta === null || noise === null ? [] : [noise]));
  const found = {
    sites: known.length,
    withoutDelta: deltas.length - known.length,
    classes: { below: of('below'), within: of('within'), above: of('above') },
    // Sites of which it is not known are taken to be as the others.
    byNoise: noises.length === 0 ? null : (known.length * noises.reduce((sum, noise) => sum + noise, 0)) / noises.length,
    steps: stepsOf(known.map(({ delta }) => delta)),
  };
  return { ...found, words: wordsOf(found) };
}

/** Such as: H3-Delta beyond ±0.1: HTTP/3 lower on 3, higher on 1 of 30 sites; noise alone gives about 3. By their intervals … */
function wordsOf({ sites, classes: { below, within, above }, byNoise }: Omit<DeltaDistribution, 'words'>): string {
  if (sites === 0) return '';
  const noise =
    byNoise === null
      ? ''
      : `; noise alone gives ${byNoise < 0.05 ? 'none' : byNoise < 1 ? 'less than one' : `about ${Math.round(byNoise)}`}`;
  const open = sites - below.sure - within.sure - above.sure;
  const sure = `By their intervals it is surely lower on ${below.sure}, higher on ${above.sure}, in between on ${within.sure}; on ${open} that can’t be told.`;
  return `H3-Delta beyond ±${siteClassLimit}: HTTP/3 lower on ${below.sites}, higher on ${above.sites} of ${counted(sites, 'site')}${noise}. ${sure}`;
}

/**
 * The same for each provider. The one with most sites comes first (of equals, by name), `unknown` last, so that charts agree on
 * order.
 * @param sites with provider and H3-Delta.
 */
export function deltaByProvider(sites: readonly (DeltaOfSite & { provider: string })[]): { provider: string; delta: DeltaDistribution }[] {
  const isUnknown = (provider: string) => Number(provider === 'unknown');
  return [...Map.groupBy(sites, ({ provider }) => provider)]
    .toSorted(([a, ofA], [b, ofB]) => isUnknown(a) - isUnknown(b) || ofB.length - ofA.length || a.localeCompare(b, 'en'))
    .map(([provider, its]) => ({ provider, delta: deltaDistribution(its) }));
}
