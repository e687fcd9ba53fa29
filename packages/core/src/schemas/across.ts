// What the sites of a campaign show together: the distribution of H3-Delta, also by provider; what pages of a class have in common; the
// share of HTTP/3; and whether conditions, protocols and sites differ. After Trevisan et al. 2021, figures 4 to 9.
import Type, { type Static } from 'typebox';
import { siteClasses } from '../vocabulary/verdict.ts';
import { count, orNull, share } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

/** Where a site's H3-Delta lies: below −0.1 (HTTP/3 is faster by more than that), from −0.1 to 0.1, or above 0.1. */
export const SiteClass = Type.Enum([...siteClasses], {
  description:
    'H3-Delta below −0.1, from −0.1 to 0.1, or above 0.1 (Trevisan et al. 2021). A class is no test result: see `byNoise` and `sure`.',
});
export type SiteClass = (typeof siteClasses)[number];

/** A box plot: quartiles, with whiskers at p10 and p90 as in Trevisan et al. */
export const BoxPlot = Type.Object({
  whiskerLow: Type.Number({ description: 'p10.' }),
  lowerQuartile: Type.Number(),
  median: Type.Number(),
  upperQuartile: Type.Number(),
  whiskerHigh: Type.Number({ description: 'p90.' }),
});
export type BoxPlot = Static<typeof BoxPlot>;

/** An empirical distribution function as the corners of its steps. */
export const CumulativeSteps = Type.Object({
  values: Type.Array(Type.Number(), { description: 'Ascending and distinct.' }),
  shares: Type.Array(Type.Number(), { description: 'Share of sites with at most the value at the same index; the last is 1.' }),
});
export type CumulativeSteps = Static<typeof CumulativeSteps>;

const ClassCount = Type.Object({
  sites: count('Sites in the class.'),
  share: share('Share of the sites that have an H3-Delta; 0 if there are none.'),
  sure: count('Sites of the class whose whole interval lies in it. The class of the others remains open.'),
});

/** H3-Delta over sites. */
export const DeltaDistribution = Type.Object({
  sites: count('Sites that have an H3-Delta.'),
  withoutDelta: count('Sites without one: no counted visit over h2 or h3, both medians 0, or a median among failed loads.'),
  classes: Type.Object({ below: ClassCount, within: ClassCount, above: ClassCount }),
  byNoise: orNull(
    Type.Number(),
    'Mean number of sites that noise alone moves beyond ±0.1, estimated by exchanging labels within rounds around the measured difference. Null if no site has two rounds.',
  ),
  words: Type.String({ description: 'Summary of the classes and of noise in a sentence or two; empty without sites.' }),
  steps: CumulativeSteps,
});
export type DeltaDistribution = Static<typeof DeltaDistribution>;

const characteristicProperties = {
  connections: count('Connections that carried a response.'),
  hosts: count('Hosts that answered.'),
  requests: count('Requests sent to the network.'),
  transferBytes: count('Page size: bytes received.'),
  h3Share: share('Share of objects over HTTP/3.'),
  h3ByteShare: share('Share of bytes over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the busiest connection.'),
};
/** A property of a page that may explain its H3-Delta. */
export type Characteristic = keyof typeof characteristicProperties;
export const characteristics = Object.keys(characteristicProperties) as Characteristic[];

export const CharacteristicOfClass = Type.Object({
  box: BoxPlot,
  standardised: orNull(
    BoxPlot,
    'The same box, standardised to mean 0 and variance 1 over all sites of the condition and view; null if they are all equal.',
  ),
});
export type CharacteristicOfClass = Static<typeof CharacteristicOfClass>;

export const ClassCharacteristics = Type.Object({
  class: SiteClass,
  sites: count('Sites of the class that have these values.'),
  characteristics: Type.Record(Type.String(), CharacteristicOfClass, {
    description: 'By characteristic: each site’s median over its counted visits over h3; empty without sites.',
  }),
});
export type ClassCharacteristics = Static<typeof ClassCharacteristics>;

export const AcrossSites = Type.Object({
  condition: Type.String(),
  view: View,
  delta: DeltaDistribution,
  deltaByProvider: Type.Array(Type.Object({ provider: Type.String(), delta: DeltaDistribution }), {
    description: 'Provider with the most sites first; unknown last. Empty if no site’s hosts are known.',
  }),
  byClass: Type.Array(ClassCharacteristics, { description: 'Below, within, above.' }),
  h3Objects: Type.Object(
    { sites: count('Sites with counted visits over h3.'), steps: CumulativeSteps },
    { description: 'Share of objects over HTTP/3.' },
  ),
  h3Bytes: Type.Object(
    { sites: count('Sites with counted visits over h3.'), steps: CumulativeSteps },
    { description: 'Share of bytes over HTTP/3.' },
  ),
});
export type AcrossSites = Static<typeof AcrossSites>;

const rankTestProperties = {
  df: Type.Integer({ minimum: 1, description: 'Degrees of freedom of χ².' }),
  p: share('By χ².'),
};

const factorNames = ['condition', 'protocol', 'site'] as const;
/** Tests whether the levels of one factor differ, with all other factors held fixed or blocked. */
export const FactorTest = Type.Object({
  factor: Type.Enum([...factorNames]),
  view: View,
  siteId: orNull(Type.String(), 'The tested site; null: all sites together.'),
  condition: orNull(Type.String(), 'The condition held fixed; null: condition is the factor.'),
  protocol: orNull(Protocol, 'The protocol held fixed; null: protocol is the factor.'),
  unit: Type.Enum(['visit', 'site-median'], { description: 'One value is a visit, or the median of a site’s visits.' }),
  sites: count('Sites with values.'),
  sitesLeftOut: count('Sites left out of a test over site medians because a level has no value.'),
  levels: Type.Integer({ minimum: 2 }),
  smallestLevel: Type.Integer({ minimum: 1, description: 'Values of the smallest level.' }),
  medians: orNull(
    Type.Array(Type.Object({ level: Type.String(), values: Type.Integer(), median: orNull(Type.Number()) })),
    'Median of each level; null for factors with more than 12 levels.',
  ),
  kruskalWallis: Type.Object({
    h: Type.Number(),
    ...rankTestProperties,
    epsilonSquared: Type.Number({ description: 'Effect size, 0 to 1.' }),
  }),
  dunn: orNull(
    Type.Array(
      Type.Object({
        first: Type.String(),
        second: Type.String(),
        z: Type.Number({ description: 'Positive: the first has the larger values.' }),
        p: share('Two-sided.'),
        adjustedP: share('Holm-corrected over the pairs of this test.'),
      }),
    ),
    'Dunn’s test of which levels differ; null for factors with more than 12 levels.',
  ),
  friedman: orNull(
    Type.Object({ chiSquared: Type.Number(), ...rankTestProperties, kendallW: share('Effect size.') }),
    'For tests over site medians; treats sites as blocks.',
  ),
  cautions: Type.Array(Type.String(), { description: 'Limits of this test, in words.' }),
});
export type FactorTest = Static<typeof FactorTest>;

export const SiteProvider = Type.Object({
  siteId: Type.String(),
  provider: Type.String({ description: 'Provider of the main document; `unknown` if it can’t be identified.' }),
  mostBytes: Type.String({ description: 'Provider of most of the page’s bytes; `unknown` if it can’t be identified.' }),
  mostBytesShare: share('Share of the page’s bytes from that provider.'),
});
export type SiteProvider = Static<typeof SiteProvider>;

export const CampaignAcross = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  providers: Type.Array(SiteProvider, { description: 'Providers of the discovered sites.' }),
  groups: Type.Array(AcrossSites, { description: 'One for each condition and view, in the order of the campaign.' }),
  factors: Type.Array(FactorTest),
});
export type CampaignAcross = Static<typeof CampaignAcross>;
