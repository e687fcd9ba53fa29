// Results of a campaign with several factors: each combination of levels, each factor, and what the difference between protocols depends on.
import Type, { type Static } from 'typebox';
import { number, orNull, share } from './fields.ts';
import { MetricName } from './metrics.ts';
import { CvClass } from './results.ts';
import { Protocol } from './vocabulary.ts';

/** Names that have a meaning in every campaign. */
export const ownFactors = ['protocol', 'condition', 'view'] as const;
export const levelLimits = { factors: 6, text: 60, cells: 256 } as const;

/** A site's level of each factor. */
export const Levels = Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: levelLimits.text }), {
  minProperties: 1,
  maxProperties: levelLimits.factors,
  description: `For factorial campaigns: the site’s level of each factor, such as {"method": "GET", "payload": "2 MB"}. All sites have the same factors, and no two the same levels; condition and view are factors by themselves. A name or a level has at most ${levelLimits.text} characters.`,
});
export type Levels = Static<typeof Levels>;

const levelsOfScenario = Type.Record(Type.String(), Type.String(), { description: 'Level by factor.' });

export const ScenarioSide = Type.Object({
  n: Type.Integer({ minimum: 0, description: 'Replications that count, including failed ones.' }),
  failed: Type.Integer({ minimum: 0 }),
  mean: orNull(Type.Number(), 'Null without a value, or if one failed.'),
  median: orNull(Type.Number(), 'Null without a value, or if it lies among failed replications.'),
  cv: orNull(Type.Number(), 'Standard deviation ÷ mean of the replications; null if either is missing.'),
  cvClass: orNull(CvClass, 'Class of cv.'),
  p95: orNull(Type.Number(), 'See tailOf.'),
  p99: orNull(Type.Number(), 'See tailOf.'),
});
export type ScenarioSide = Static<typeof ScenarioSide>;

const scenarioOutcomes = ['candidate-lower', 'candidate-higher', 'too-small', 'not-shown', 'too-few', 'unmeasured'] as const;
export type ScenarioOutcome = (typeof scenarioOutcomes)[number];

export const FactorialScenario = Type.Object({
  levels: levelsOfScenario,
  candidate: ScenarioSide,
  baseline: ScenarioSide,
  p: orNull(share('Two-sided Mann–Whitney test over the replications.'), 'Null if a protocol has none.'),
  adjustedP: orNull(share('p, Holm-corrected over the scenarios.'), 'Null if p is.'),
  smallestAdjustedP: orNull(share('Smallest possible value with this number of replications.'), 'Null if p is.'),
  rankBiserial: orNull(Type.Number({ minimum: -1, maximum: 1 }), 'Negative: the candidate’s values are smaller.'),
  category: orNull(
    Type.Enum(['negligible', 'small', 'moderate', 'large']),
    'Class of |rank-biserial|: below 0.1, 0.3, 0.5, or at least 0.5.',
  ),
  relative: orNull(Type.Number(), '(median of the candidate − median of the baseline) ÷ median of the baseline.'),
  isRelevant: Type.Boolean({
    description: 'By the published rule, but with the corrected p: below 0.05, |rank-biserial| ≥ 0.3, and medians at least 10 % apart.',
  }),
  isRelevantUncorrected: Type.Boolean({ description: 'By the published rule, with p itself.' }),
  outcome: Type.Enum([...scenarioOutcomes]),
  words: Type.String({ description: 'The outcome, in words.' }),
});
export type FactorialScenario = Static<typeof FactorialScenario>;

/** What the ratio of candidate to baseline depends on. */
export const FactorInteraction = Type.Object({
  factors: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 2,
    description:
      'One factor: whether the ratio depends on it (its interaction with the protocol). Two: whether the effect of one on the ratio depends on the other.',
  }),
  levels: Type.Array(
    Type.Object({
      levels: Type.Array(Type.String(), { description: 'Levels of the factors, in their order.' }),
      ratio: number('Candidate ÷ baseline: the geometric mean of the scenarios’ geometric means over rounds.'),
      low: orNull(
        Type.Number(),
        'Lower end of the 95 % interval, by Student’s t with Welch & Satterthwaite’s degrees of freedom; null if a scenario has one round.',
      ),
      high: orNull(Type.Number(), 'See low.'),
      rounds: Type.Integer({ minimum: 1 }),
    }),
  ),
  p: orNull(share('From the permutation test.'), 'Null: it remains open.'),
  adjustedP: orNull(share('Holm-corrected over all tests of these protocols.'), 'Null if p is.'),
  permutations: Type.Integer({ minimum: 0 }),
  confoundedWith: Type.Array(Type.Array(Type.String()), {
    description: 'Factors, or pairs of factors, that the design can’t separate from it. A test of one is a test of both.',
  }),
  words: Type.String({ description: 'The finding, in a sentence.' }),
});
export type FactorInteraction = Static<typeof FactorInteraction>;

export const FactorDifference = Type.Object({
  factor: Type.String(),
  within: orNull(Type.Object({ factor: Type.String(), level: Type.String() }), 'The level held fixed; null: everything else is pooled.'),
  levels: Type.Array(
    Type.Object({
      level: Type.String(),
      median: orNull(Type.Number(), 'Null if it lies among failed replications.'),
      n: Type.Integer({ minimum: 1 }),
    }),
    { minItems: 2 },
  ),
  h: number('Statistic of Kruskal & Wallis.'),
  df: Type.Integer({ minimum: 1 }),
  p: share('By χ².'),
  epsilonSquared: number('Effect size, 0 to 1.'),
});
export type FactorDifference = Static<typeof FactorDifference>;

/** What a number of replications and scenarios can show about one scenario. */
export const FactorialPower = Type.Object({
  replications: Type.Integer({ minimum: 0 }),
  scenarios: Type.Integer({ minimum: 0, description: 'Number of scenarios that p is corrected over.' }),
  smallestP: share('Smallest p of the Mann–Whitney test: 2 ÷ C(2n, n).'),
  smallestAdjustedP: share('The same after Holm’s correction over the scenarios.'),
  canShow: Type.Boolean({ description: 'Whether that is below 0.05.' }),
  least: Type.Integer({ minimum: 1, description: 'Minimum replications for which it is.' }),
  forLarge: Type.Integer({
    minimum: 1,
    description: 'Replications that show a large effect, |rank-biserial| = 0.5, with 80 % power (Noether 1987).',
  }),
  words: Type.String(),
});
export type FactorialPower = Static<typeof FactorialPower>;

export const FactorialPair = Type.Object({
  candidate: Protocol,
  baseline: Protocol,
  power: FactorialPower,
  scenarios: Type.Array(FactorialScenario, { description: 'Sites × conditions × views, in the order of the campaign.' }),
  interactions: Type.Array(FactorInteraction, { description: 'Each factor with two levels or more, then each pair of them.' }),
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
    description: 'Factors of the design, without the protocol.',
  }),
  design: Type.Object({
    combinations: Type.Integer({ description: 'Measured combinations.' }),
    of: Type.Integer({ description: 'Possible combinations.' }),
    resolution: orNull(
      Type.Enum(['II', 'III', 'IV']),
      'For a fraction: the worst confounding. II: factors with each other; III: factors with pairs; IV: pairs with pairs. Null: none of these.',
    ),
    words: Type.String(),
  }),
  tailOf: Type.Enum(['requests', 'replications'], {
    description:
      'requests: p95 and p99 are medians over the runs of each run’s request percentiles; replications: they are percentiles of the replications’ own values.',
  }),
  pairs: Type.Array(FactorialPair, {
    description: 'h3 against h2, h3 against h1, h2 against h1, if both protocols are measured.',
  }),
  differences: Type.Array(FactorDifference, {
    description:
      'Kruskal–Wallis test of each factor and of the protocol with everything else pooled, and of the protocol within each level, as published.',
  }),
  cautions: Type.Array(Type.String(), { description: 'Limits of these numbers, in words.' }),
});
export type CampaignFactorial = Static<typeof CampaignFactorial>;
