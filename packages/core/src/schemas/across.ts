// What the sites of a campaign show together: how H3-Delta spreads over them, by provider too, what pages of a class have in common,
// how much comes over HTTP/3, and whether conditions, protocols and sites differ at all. After Trevisan et al. 2021, figures 4 to 9.
import Type, { type Static } from 'typebox';
import { siteClasses } from '../vocabulary/verdict.ts';
import { count, orNull, share } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

/** Where a site's H3-Delta lies: below −0.1 (HTTP/3 is faster by more than that), from −0.1 to 0.1, above 0.1. */
export const SiteClass = Type.Enum([...siteClasses], {
  description:
    'H3-Delta below −0.1, from −0.1 to 0.1, above 0.1 (Trevisan et al. 2021). No test stands behind a class: see `byNoise` and `sure`.',
});
export type SiteClass = (typeof siteClasses)[number];

/** What a box plot draws: from quartile to quartile, with whiskers at p10 and p90 as in Trevisan et al. */
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
  values: Type.Array(Type.Number(), { description: 'Ascending, each once.' }),
  shares: Type.Array(Type.Number(), { description: 'Of the sites whose value is at most the one at the same place; the last is 1.' }),
});
export type CumulativeSteps = Static<typeof CumulativeSteps>;

const ClassCount = Type.Object({
  sites: count('Sites of the class.'),
  share: share('Of the sites that have an H3-Delta; 0 without any.'),
  sure: count('Of these sites, those whose interval lies in the class as a whole. The class of the others remains open.'),
});

/** H3-Delta over sites. */
export const DeltaDistribution = Type.Object({
  sites: count('Sites that have an H3-Delta.'),
  withoutDelta: count('Sites that have none: no counted visit over h2 or h3, both medians 0, or one among loads that failed.'),
  classes: Type.Object({ below: ClassCount, within: ClassCount, above: ClassCount }),
  byNoise: orNull(
    Type.Number(),
    'How many sites noise alone carries beyond ±0.1 on average: with labels exchanged within rounds, about what truly differs. Null without a site of two rounds.',
  ),
  words: Type.String({ description: 'The classes, beside noise, in a sentence or two; empty without sites.' }),
  steps: CumulativeSteps,
});
export type DeltaDistribution = Static<typeof DeltaDistribution>;

const characteristicProperties = {
  connections: count('Connections that carried a response.'),
  hosts: count('Hosts that answered.'),
  requests: count('Requests that went to the network.'),
  transferBytes: count('Page size: bytes received.'),
  h3Share: share('Share of objects over HTTP/3.'),
  h3ByteShare: share('Share of bytes over HTTP/3.'),
  largestConnectionShare: share('Share of objects on the connection that carried most.'),
};
/** What of a page may explain its H3-Delta. */
export type Characteristic = keyof typeof characteristicProperties;
export const characteristics = Object.keys(characteristicProperties) as Characteristic[];

export const CharacteristicOfClass = Type.Object({
  box: BoxPlot,
  standardised: orNull(
    BoxPlot,
    'The same box in units in which all sites of the condition and view, whatever their class, have mean 0 and variance 1; null where they are all alike.',
  ),
});
export type CharacteristicOfClass = Static<typeof CharacteristicOfClass>;

export const ClassCharacteristics = Type.Object({
  class: SiteClass,
  sites: count('Sites of the class that have these numbers.'),
  characteristics: Type.Record(Type.String(), CharacteristicOfClass, {
    description: 'By characteristic, of the medians over each site’s counted visits over h3; empty without sites.',
  }),
});
export type ClassCharacteristics = Static<typeof ClassCharacteristics>;

export const AcrossSites = Type.Object({
  condition: Type.String(),
  view: View,
  delta: DeltaDistribution,
  deltaByProvider: Type.Array(Type.Object({ provider: Type.String(), delta: DeltaDistribution }), {
    description: 'The provider with most sites first; unknown last. Empty where nothing is known of any site’s hosts.',
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

export const factorNames = ['condition', 'protocol', 'site'] as const;
/** Whether the levels of one factor differ, all others being held fixed or blocked. */
export const FactorTest = Type.Object({
  factor: Type.Enum([...factorNames]),
  view: View,
  siteId: orNull(Type.String(), 'The one site that is tested; null: all together.'),
  condition: orNull(Type.String(), 'The one that is held fixed; null: the factor itself.'),
  protocol: orNull(Protocol, 'The one that is held fixed; null: the factor itself.'),
  unit: Type.Enum(['visit', 'site-median'], { description: 'What one value is: a visit, or the median of a site’s visits.' }),
  sites: count('Sites with values.'),
  sitesLeftOut: count('Sites without values at some level, which are left out of a test over site medians.'),
  levels: Type.Integer({ minimum: 2 }),
  smallestLevel: Type.Integer({ minimum: 1, description: 'Values of the level that has fewest.' }),
  medians: orNull(
    Type.Array(Type.Object({ level: Type.String(), values: Type.Integer(), median: orNull(Type.Number()) })),
    'Of each level; null for factors of more than 12 levels.',
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
        adjustedP: share('Corrected over the pairs of this test (Holm).'),
      }),
    ),
    'Which levels differ (Dunn’s test); null for factors of more than 12 levels.',
  ),
  friedman: orNull(
    Type.Object({ chiSquared: Type.Number(), ...rankTestProperties, kendallW: share('Effect size.') }),
    'Of tests over site medians: takes sites as the blocks that they are.',
  ),
  cautions: Type.Array(Type.String(), { description: 'What this test can’t tell, in words.' }),
});
export type FactorTest = Static<typeof FactorTest>;

export const SiteProvider = Type.Object({
  siteId: Type.String(),
  provider: Type.String({ description: 'Who serves the main document; `unknown` where nothing tells.' }),
  mostBytes: Type.String({ description: 'Who serves most of the page’s bytes; `unknown` where nothing tells.' }),
  mostBytesShare: share('Share of the page’s bytes that comes from there.'),
});
export type SiteProvider = Static<typeof SiteProvider>;

export const CampaignAcross = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  providers: Type.Array(SiteProvider, { description: 'Of the sites that were discovered.' }),
  groups: Type.Array(AcrossSites, { description: 'For each condition and view, in the order of the campaign.' }),
  factors: Type.Array(FactorTest),
});
export type CampaignAcross = Static<typeof CampaignAcross>;
