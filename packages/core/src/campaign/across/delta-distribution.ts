import { ecdf } from '../../math/distribution.ts';
import { pseudomedian } from '../../math/hodges-lehmann.ts';
import { type RandomSource, randomSource } from '../../math/random.ts';
import type { CumulativeSteps, DeltaDistribution, SiteClass } from '../../schemas/across.ts';
import { counted } from '../../text/numbers.ts';
import { logRatios, type Pair } from '../../verdict/comparison.ts';
import { deltaOfMedians, liesWithin, siteClass } from '../../verdict/h3-delta.ts';
import { siteClassLimit } from '../../vocabulary/verdict.ts';

export interface DeltaOfSite {
  /** Null: the site has none. */
  delta: number | null;
  /** Null: there is none, or an end is unbounded. */
  interval: { low: number; high: number } | null;
  /** See `noiseBeyond`. */
  noise: number | null;
}

/**
 * The distribution of H3-Delta over sites (Trevisan et al. 2021, figure 7; over one provider's sites: figure 8): the steps of its distribution
 * function, the number of sites in each class, how many of them are certain, and how many noise alone would move out of the middle. All
 * sites weigh the same. n log n in the number of sites.
 *
 * @param deltas one for each site; sites without one are counted separately.
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
  const distribution = {
    sites: known.length,
    withoutDelta: deltas.length - known.length,
    classes: { below: of('below'), within: of('within'), above: of('above') },
    // Sites whose noise is unknown are assumed to be like the others.
    byNoise: noises.length === 0 ? null : (known.length * noises.reduce((sum, noise) => sum + noise, 0)) / noises.length,
    steps: stepsOf(known.map(({ delta }) => delta)),
  };
  return { ...distribution, words: wordsOf(distribution) };
}

/** Such as: H3-Delta beyond ±0.1: HTTP/3 lower on 3, higher on 1 of 30 sites; noise alone gives about 3. By their intervals … */
function wordsOf({ sites, classes: { below, within, above }, byNoise }: Omit<DeltaDistribution, 'words'>): string {
  if (sites === 0) return '';
  const noise =
    byNoise === null
      ? ''
      : `; noise alone gives ${byNoise < 0.05 ? 'none' : byNoise < 1 ? 'less than one' : `about ${Math.round(byNoise)}`}`;
  const open = sites - below.sure - within.sure - above.sure;
  const sure = `By their intervals it is certainly lower on ${below.sure}, higher on ${above.sure}, in between on ${within.sure}; on ${open} it remains open.`;
  return `H3-Delta beyond ±${siteClassLimit}: HTTP/3 lower on ${below.sites}, higher on ${above.sites} of ${counted(sites, 'site')}${noise}. ${sure}`;
}

/**
 * The same for each provider: most sites first (ties by name), `unknown` last, so that charts agree on the order.
 * @param sites with provider and H3-Delta.
 */
export function deltaByProvider(sites: readonly (DeltaOfSite & { provider: string })[]): { provider: string; delta: DeltaDistribution }[] {
  const isUnknown = (provider: string) => Number(provider === 'unknown');
  return [...Map.groupBy(sites, ({ provider }) => provider)]
    .toSorted(([a, ofA], [b, ofB]) => isUnknown(a) - isUnknown(b) || ofB.length - ofA.length || a.localeCompare(b, 'en'))
    .map(([provider, its]) => ({ provider, delta: deltaDistribution(its) }));
}

/** The distribution function of one number per site, as `ecdf`; no steps if no site has a number. */
export function stepsOf(values: readonly number[]): CumulativeSteps {
  return values.length === 0 ? { values: [], shares: [] } : ecdf(values);
}

/** Up to this many rounds all exchanges of labels are counted, otherwise `draws` random ones. */
const exactUpTo = 9;
const draws = 200;

/**
 * The probability that H3-Delta lies beyond ±0.1 if the protocol makes no difference and rounds vary as these do: labels are exchanged
 * within rounds, every way equally likely. Before that, each round's ratio is centred on the pseudomedian of all, and stretched by n ÷ (n −
 * 1) because that centre is their own: a true difference is not noise, but would count as noise if it were exchanged as it is. By
 * simulation (bench/statistics/delta-classes.ts) the result is right to 4 points of 100 from five rounds on, with or without a difference;
 * from three rounds it is up to 8 too high.
 *
 * If one side of a round failed, the other one is moved to the same centre, and the failure is exchanged with it.
 *
 * @param pairs one metric in each round that has both, not negative, ∞ for a failed load; not centred if a value is 0, or if failures
 *   prevail and there is no centre.
 * @param seed of the random exchanges.
 * @returns null for fewer than two rounds.
 */
export function noiseBeyond(pairs: readonly Pair[], seed: number): number | null {
  const n = pairs.length;
  if (n < 2) return null;
  const sides = centred(pairs);
  // Both sides' values ascending: round r of the candidate has index r, of the baseline n + r.
  const ascending = [...sides.keys()].sort((a, b) => (sides[a] as number) - (sides[b] as number) || 0);
  const values = ascending.map((place) => sides[place] as number);
  const isExact = n <= exactUpTo;
  const ways = isExact ? 2 ** n : draws;
  const random = randomSource(seed);
  let beyond = 0;
  for (let way = 0; way < ways; way++) {
    const exchanged = isExact ? bitsOf(way, n) : drawn(n, random);
    beyond += Number(isBeyond(ascending, values, exchanged));
  }
  return beyond / ways;
}

const bitsOf = (way: number, n: number): boolean[] => Array.from({ length: n }, (_, round) => ((way >> round) & 1) === 1);
const drawn = (n: number, random: RandomSource): boolean[] => Array.from({ length: n }, () => random() < 0.5);

/** The candidate's values, then the baseline's. */
function centred(pairs: readonly Pair[]): number[] {
  const n = pairs.length;
  const logs = logRatios(pairs);
  const asTheyAre = [...pairs.map(({ candidate }) => candidate), ...pairs.map(({ baseline }) => baseline)];
  const centre = logs === null ? Number.NaN : pseudomedian(logs).estimate;
  if (logs === null || !Number.isFinite(centre)) return asTheyAre;
  const moved = pairs.map(({ candidate, baseline }, i): Pair => {
    const log = logs[i] as number;
    if (!Number.isFinite(log)) return { candidate: candidate * Math.exp(-centre / 2), baseline: baseline * Math.exp(centre / 2) };
    const [middle, half] = [Math.sqrt(candidate * baseline), Math.exp(((n / (n - 1)) * (log - centre)) / 2)];
    return { candidate: middle * half, baseline: middle / half };
  });
  return [...moved.map(({ candidate }) => candidate), ...moved.map(({ baseline }) => baseline)];
}

/** Walks up the values to the median of each side. */
function isBeyond(ascending: readonly number[], values: readonly number[], exchanged: readonly boolean[]): boolean {
  const n = exchanged.length;
  const [lower, upper] = [(n - 1) >> 1, n >> 1];
  const passed = [0, 0];
  const sums = [0, 0];
  for (let i = 0; i < ascending.length; i++) {
    const place = ascending[i] as number;
    const isCandidate = place < n;
    const side = isCandidate === exchanged[isCandidate ? place : place - n] ? 1 : 0;
    const rank = passed[side] as number;
    passed[side] = rank + 1;
    if (rank === lower) sums[side] = (sums[side] as number) + (values[i] as number);
    if (rank === upper) sums[side] = (sums[side] as number) + (values[i] as number);
  }
  const delta = deltaOfMedians((sums[0] as number) / 2, (sums[1] as number) / 2);
  return delta !== null && Math.abs(delta) > siteClassLimit;
}
