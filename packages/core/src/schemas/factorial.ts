// What a campaign of several factors shows: each combination of levels, each factor, and on what the difference between protocols depends.
import Type, { type Static } from 'typebox';
import { number, orNull, share } from './fields.ts';
import { MetricName } from './metrics.ts';
import { CvClass } from './results.ts';
import { Protocol } from './vocabulary.ts';

/** Names that mean something in every campaign. */
export const ownFactors = ['protocol', 'condition', 'view'] as const;
export const levelLimits = { factors: 6, text: 60, cells: 256 } as const;

/** Which level of each factor a site stands for. */
export const Levels = Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: levelLimits.text }), {
  minProperties: 1,
  maxProperties: levelLimits.factors,
  description: `Of a factorial campaign: the site’s level of each factor, such as {"method": "GET", "payload": "2 MB"}. All sites have the same factors and no two the same levels; condition and view are factors by themselves. A name or a level has at most ${levelLimits.text} characters.`,
});
export type Levels = Static<typeof Levels>;

const levelsOfScenario = Type.Record(Type.String(), Type.String(), { description: 'By factor.' });

export const ScenarioSide = Type.Object({
  n: Type.Integer({ minimum: 0, description: 'Replications that count, failed ones among them.' }),
  failed: Type.Integer({ minimum: 0 }),
  mean: orNull(Type.Number(), 'Null without a value, and where one failed.'),
  median: orNull(Type.Number(), 'Null without a value, and where it lies among those that failed.'),
  cv: orNull(Type.Number(), 'Standard deviation ÷ mean of the replications; null where either is missing.'),
  cvClass: orNull(CvClass, 'By the size of cv.'),
  p95: orNull(Type.Number(), 'Of the tail, see tailOf.'),
  p99: orNull(Type.Number(), 'Of the tail, see tailOf.'),
});
export type ScenarioSide = Static<typeof ScenarioSide>;

export const scenarioOutcomes = ['candidate-lower', 'candidate-higher', 'too-small', 'not-shown', 'too-few', 'unmeasured'] as const;
export type ScenarioOutcome = (typeof scenarioOutcomes)[number];

export const FactorialScenario = Type.Object({
  levels: levelsOfScenario,
  candidate: ScenarioSide,
  baseline: ScenarioSide,
  p: orNull(share('Two-sided, by Mann & Whitney over the replications.'), 'Null where a protocol has none.'),
  adjustedP: orNull(share('p, corrected by Holm over the scenarios.'), 'Null where p is.'),
  smallestAdjustedP: orNull(share('The smallest that so many replications could have had.'), 'Null where p is.'),
  rankBiserial: orNull(Type.Number({ minimum: -1, maximum: 1 }), 'Negative: the candidate’s values are the smaller ones.'),
  category: orNull(Type.Enum(['negligible', 'small', 'moderate', 'large']), 'Of |rank-biserial|: below 0.1, 0.3, 0.5, and from there on.'),
  relative: orNull(Type.Number(), '(median of the candidate − median of the baseline) ÷ median of the baseline.'),
  isRelevant: Type.Boolean({
    description: 'By the published rule, on the corrected p: below 0.05, |rank-biserial| ≥ 0.3, and medians at least 10 % apart.',
  }),
  isRelevantUncorrected: Type.Boolean({ description: 'The same as it was published, on p itself.' }),
  outcome: Type.Enum([...scenarioOutcomes]),
  words: Type.String({ description: 'That, in words.' }),
});
export type FactorialScenario = Static<typeof FactorialScenario>;

/** On what the ratio of candidate and baseline depends. */
export const FactorInteraction = Type.Object({
  factors: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 2,
    description:
      'One: whether the ratio depends on it (its interaction with the protocol). Two: whether what one does to the ratio depends on the other.',
  }),
  levels: Type.Array(
    Type.Object({
      levels: Type.Array(Type.String(), { description: 'Of the factors, in their order.' }),
      ratio: number('Candidate ÷ baseline: the geometric mean of the scenarios’ geometric means over rounds.'),
      low: orNull(
        Type.Number(),
        'Of its 95 % interval, by Student’s t with Welch & Satterthwaite’s degrees of freedom; null where a scenario has one round.',
      ),
      high: orNull(Type.Number(), 'As low.'),
      rounds: Type.Integer({ minimum: 1 }),
    }),
  ),
  p: orNull(share('Of the permutation test.'), 'Null: it remains open.'),
  adjustedP: orNull(share('Corrected by Holm over all that is tested of these protocols.'), 'Null where p is.'),
  permutations: Type.Integer({ minimum: 0 }),
  confoundedWith: Type.Array(Type.Array(Type.String()), {
    description: 'What the design can’t tell it from: factors, or pairs of them. A test of one is a test of both.',
  }),
  words: Type.String({ description: 'What was found, in a sentence.' }),
});
export type FactorInteraction = Static<typeof FactorInteraction>;

export const FactorDifference = Type.Object({
  factor: Type.String(),
  within: orNull(Type.Object({ factor: Type.String(), level: Type.String() }), 'The level that is held fixed; null: all else is pooled.'),
  levels: Type.Array(
    Type.Object({
      level: Type.String(),
      median: orNull(Type.Number(), 'Null where it lies among those that failed.'),
      n: Type.Integer({ minimum: 1 }),
    }),
    { minItems: 2 },
  ),
  h: number('Kruskal & Wallis’s.'),
  df: Type.Integer({ minimum: 1 }),
  p: share('By χ².'),
  epsilonSquared: number('Effect size, 0 to 1.'),
});
export type FactorDifference = Static<typeof FactorDifference>;

/** What so many replications of so many scenarios can show of one scenario. */
export const FactorialPower = Type.Object({
  replications: Type.Integer({ minimum: 0 }),
  scenarios: Type.Integer({ minimum: 0, description: 'Over which p is corrected.' }),
  smallestP: share('That Mann & Whitney’s test can reach: 2 ÷ C(2n, n).'),
  smallestAdjustedP: share('The same after Holm over the scenarios.'),
  canShow: Type.Boolean({ description: 'Whether that is below 0.05.' }),
  least: Type.Integer({ minimum: 1, description: 'Replications with which it is.' }),
  forLarge: Type.Integer({
    minimum: 1,
    description: 'Replications that show a large effect, |rank-biserial| = 0.5, four times in five (Noether 1987).',
  }),
  words: Type.String(),
});
export type FactorialPower = Static<typeof FactorialPower>;

export const FactorialPair = Type.Object({
  candidate: Protocol,
  baseline: Protocol,
  power: FactorialPower,
  scenarios: Type.Array(FactorialScenario, { description: 'Sites × conditions × views, in the order of the campaign.' }),
  interactions: Type.Array(FactorInteraction, { description: 'Each factor of two levels and more, then each pair of them.' }),
  roundsLeftOut: Type.Integer({
    minimum: 0,
    description: 'Rounds in which one of the two failed or has no value: they have no ratio, and are in no interaction.',
  }),
});
export type FactorialPair = Static<typeof FactorialPair>;

export const CampaignFactorial = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  factors: Type.Array(Type.Object({ factor: Type.String(), levels: Type.Array(Type.String()) }), {
    description: 'Of the design, without the protocol.',
  }),
  design: Type.Object({
    combinations: Type.Integer({ description: 'That are measured.' }),
    of: Type.Integer({ description: 'That there would be.' }),
    resolution: orNull(
      Type.Enum(['II', 'III', 'IV']),
      'Of a fraction: what is confounded at worst. II: factors with each other; III: factors with pairs; IV: pairs with pairs. Null: none of these.',
    ),
    words: Type.String(),
  }),
  tailOf: Type.Enum(['requests', 'replications'], {
    description:
      'requests: p95 and p99 are medians over the runs of what 95 and 99 % of a run’s requests took at most; replications: they are percentiles of the replications’ own values.',
  }),
  pairs: Type.Array(FactorialPair, {
    description: 'h3 against h2, h3 against h1, h2 against h1: those of which both protocols are measured.',
  }),
  differences: Type.Array(FactorDifference, {
    description:
      'Kruskal & Wallis’s test of each factor and of the protocol with all else pooled, and of the protocol within each level, as published.',
  }),
  cautions: Type.Array(Type.String(), { description: 'What these numbers can’t tell, in words.' }),
});
export type CampaignFactorial = Static<typeof CampaignFactorial>;
