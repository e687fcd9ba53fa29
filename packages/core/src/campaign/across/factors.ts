import { friedmanTest } from '../../math/friedman.ts';
import { dunnTest, kruskalWallisTest } from '../../math/kruskal-wallis.ts';
import { median } from '../../math/quantile.ts';
import type { FactorTest } from '../../schemas/across.ts';
import { knownOrNull } from '../../verdict/summary.ts';
import type { Cell } from '../../vocabulary/cell.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';

/** The values of one metric and protocol in a cell, +∞ for failed loads; slots of one protocol are pooled. */
export interface MetricSample extends Cell {
  protocol: Protocol;
  values: readonly number[];
}

/** From this many sites on they are tested together, with one value each. */
const minSites = 5;
/** More levels have too many pairs and medians to read: a thousand sites have half a million pairs. */
const maxLevels = 12;

/**
 * Whether a metric differs over conditions (within each protocol), over protocols (within each condition) and over sites
 * (within each protocol and condition), each view by itself: Kruskal & Wallis's test with its effect size, and Dunn's of all
 * pairs.
 *
 * Kruskal & Wallis assume independent values, and that the groups' distributions have one shape if a difference is to be read
 * as one of medians. What that means for each factor:
 * - *Sites*: their visits are independent of each other, so the test fits. It says that the sites of this campaign differ, not
 *   why.
 * - *Conditions*: the same sites stand under each. Repeated visits to one site say little about the next one, so from five
 *   sites on a value is the median of a site's visits, and only sites with values under every condition are taken. Sites remain
 *   blocks that the test knows nothing of: p is then too large and ε² too small, the more so the more sites differ, so a small
 *   p stands and a large one says nothing. Friedman's test, which takes sites as blocks, is given with it. With fewer sites
 *   each is tested alone over its visits, which are independent between conditions.
 * - *Protocols*: as conditions, and moreover a round visits every protocol under the same moment of link and machine, which
 *   ties values together once more. The paired tests over rounds decide between protocols; this one is for the picture.
 *
 * p is not corrected for the number of tests that this function returns, only Dunn's for the pairs of one test.
 *
 * @param samples of one metric, in the campaign's order. Empty ones stand for visits that are missing.
 * @returns no test where fewer than two levels have values, nor for five sites or more of which fewer than five have all
 *   levels.
 */
export function factorTests(samples: readonly MetricSample[]): FactorTest[] {
  const filled = samples.filter(({ values }) => values.length > 0);
  const strata = (key: (sample: MetricSample) => string) => [...Map.groupBy(filled, key).values()];
  return [
    ...strata((sample) => `${sample.view} ${sample.protocol}`).flatMap((stratum) => blockedTests(stratum, 'condition')),
    ...strata((sample) => `${sample.view} ${sample.condition}`).flatMap((stratum) => blockedTests(stratum, 'protocol')),
    ...strata((sample) => `${sample.view} ${sample.protocol} ${sample.condition}`).flatMap(siteTests),
  ];
}

/** Values of one level of a factor. */
type Level = { name: string; values: readonly number[] };
type Tested = Pick<FactorTest, 'factor' | 'view' | 'siteId' | 'condition' | 'protocol' | 'unit' | 'sites' | 'sitesLeftOut'>;

function blockedTests(stratum: readonly MetricSample[], factor: 'condition' | 'protocol'): FactorTest[] {
  const levels = [...new Set(stratum.map((sample) => sample[factor]))];
  const bySite = [...Map.groupBy(stratum, ({ siteId }) => siteId)].filter(([, ofSite]) => ofSite.length > 1);
  const [sample] = stratum;
  if (levels.length < 2 || !sample) return [];
  const tested = { factor, view: sample.view, condition: null, protocol: null, [otherOf(factor)]: sample[otherOf(factor)] };
  if (bySite.length < minSites) {
    return bySite.map(([siteId, ofSite]) =>
      testOf(
        { ...tested, siteId, unit: 'visit', sites: 1, sitesLeftOut: 0 },
        ofSite.map((one) => ({ name: one[factor], values: one.values })),
        null,
      ),
    );
  }
  const complete = bySite.filter(([, ofSite]) => ofSite.length === levels.length);
  if (complete.length < minSites) return [];
  const blocks = complete.map(([, ofSite]) => levels.map((level) => median(ofSite.find((one) => one[factor] === level)?.values ?? [])));
  const sites = new Set(stratum.map(({ siteId }) => siteId)).size;
  return [
    testOf(
      { ...tested, siteId: null, unit: 'site-median', sites: complete.length, sitesLeftOut: sites - complete.length },
      levels.map((name, level) => ({ name, values: blocks.map((block) => block[level] as number) })),
      blocks,
    ),
  ];
}

const otherOf = (factor: 'condition' | 'protocol') => (factor === 'condition' ? 'protocol' : 'condition');

function siteTests(stratum: readonly MetricSample[]): FactorTest[] {
  const [sample] = stratum;
  if (!sample || stratum.length < 2) return [];
  const { view, condition, protocol } = sample;
  const tested: Tested = { factor: 'site', view, siteId: null, condition, protocol, unit: 'visit', sites: stratum.length, sitesLeftOut: 0 };
  return [
    testOf(
      tested,
      stratum.map(({ siteId, values }) => ({ name: siteId, values })),
      null,
    ),
  ];
}

function testOf(tested: Tested, levels: readonly Level[], blocks: readonly (readonly number[])[] | null): FactorTest {
  const samples = levels.map(({ values }) => values);
  const smallestLevel = samples.reduce((least, { length }) => Math.min(least, length), Number.POSITIVE_INFINITY);
  const readable = levels.length <= maxLevels;
  const { statistic, df, p, epsilonSquared } = kruskalWallisTest(samples);
  const friedman = blocks && friedmanTest(blocks);
  const nameAt = (i: number) => (levels[i] as Level).name;
  return {
    ...tested,
    levels: levels.length,
    smallestLevel,
    medians: readable
      ? levels.map(({ name, values }) => ({ level: name, values: values.length, median: knownOrNull(median(values)) }))
      : null,
    kruskalWallis: { h: statistic, df, p, epsilonSquared },
    dunn: readable ? dunnTest(samples).map(({ groups: [i, j], ...pair }) => ({ first: nameAt(i), second: nameAt(j), ...pair })) : null,
    friedman: friedman && { chiSquared: friedman.statistic, df: friedman.df, p: friedman.p, kendallW: friedman.kendallW },
    cautions: cautionsOf(tested, levels.length, smallestLevel),
  };
}

function cautionsOf({ factor, unit, sites }: Tested, levels: number, smallestLevel: number): string[] {
  const cautions: string[] = [];
  if (smallestLevel < 5) cautions.push('Some level has fewer than five values, where the chi-squared approximation of p is rough.');
  if (factor === 'protocol') cautions.push('Rounds pair the protocols, which this test ignores: the paired tests decide between them.');
  if (unit === 'site-median') {
    cautions.push(
      'Every level has the same sites, which only Friedman’s test takes into account: a small p of Kruskal–Wallis is reliable, a large one says nothing.',
    );
    if (levels === 2 && sites < 6)
      cautions.push('With two levels, Friedman’s test is the sign test: with five sites its p is at least 0.06; 5 % needs six sites.');
  }
  return cautions;
}
