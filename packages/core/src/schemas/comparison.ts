// Two protocols compared on one metric: their differences, the uncertainty, and the verdict.
import Type, { type Static } from 'typebox';
import { doubts, effectCategories, verdictOutcomes } from '../vocabulary/verdict.ts';
import { SiteClass } from './across.ts';
import { number, orNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Protocol } from './vocabulary.ts';

const Beyond = Type.Optional(Type.Enum(['above', 'below']));
export const estimateEnds = ['value', 'low', 'high'] as const;

/** An estimate with its interval; both in one unit. */
export const Estimate = Type.Object({
  value: orNull(Type.Number(), 'Null: unbounded, because loads failed.'),
  low: orNull(Type.Number(), 'Null if there are too few rounds for the confidence level, or it is unbounded.'),
  high: orNull(Type.Number(), 'See low.'),
  unbounded: Type.Optional(
    Type.Object(
      { value: Beyond, low: Beyond, high: Beyond },
      { description: 'Which of these lie above or below every number, because too many loads failed. Absent: none.' },
    ),
  ),
});
export type Estimate = Static<typeof Estimate>;
const estimate = (description: string) => orNull(Estimate, description);

const EffectCategory = Type.Enum([...effectCategories]);

export const VerdictOutcome = Type.Enum([...verdictOutcomes]);
export type VerdictOutcome = (typeof verdictOutcomes)[number];

export const MoreRounds = Type.Object({
  least: Type.Integer({ minimum: 1, description: 'Minimum; fewer settle nothing.' }),
  givenUp: Type.Boolean({
    description:
      'The campaign runs until settled but adds no more rounds here, because they would hardly settle it by its last look: for every shift within the 95 % interval, the chance of finding a difference is below 80 %, and of showing equivalence below 20 %.',
  }),
  words: Type.String({
    description:
      'Estimate from the rounds so far. Below ten rounds: the minimum; otherwise the range that the interval of the shift leaves, with 80 % power. Empty where the verdict’s words say it.',
  }),
});
export type MoreRounds = Static<typeof MoreRounds>;

export const ComparisonVerdict = Type.Object({
  outcome: Type.Enum([...verdictOutcomes], {
    description:
      'faster: the paired test rejects equality after correction for all comparisons, and there are no doubts; equivalent: the interval lies within the margin, and slow loads are not shown to differ by more; not-shown-yet: all rounds are on one side, but too few to exclude chance; otherwise inconclusive.',
  }),
  words: Type.String({ description: 'The verdict with its numbers, in a sentence or two.' }),
  doubts: Type.Array(Type.Object({ doubt: Type.Enum([...doubts]), words: Type.String() }), {
    description: 'If there are any, no winner is named.',
  }),
  moreRounds: orNull(MoreRounds, 'How many more rounds would settle it; null if it is settled, or if unknown.'),
});
export type ComparisonVerdict = Static<typeof ComparisonVerdict>;

const quantile = 'The quantile: 0.9 is the time that 90 % of the loads don’t exceed.';

export const ByQuantile = Type.Object(
  {
    p: number(
      'Test that no quantile differs: two-sided, by exchanging the protocols within rounds; for all quantiles together, uncorrected for other comparisons.',
    ),
    quantiles: Type.Array(
      Type.Object({
        p: number(quantile),
        value: orNull(Type.Number(), 'Null if the quantile may lie among failed loads.'),
        low: orNull(Type.Number(), 'Null if value is.'),
        high: orNull(Type.Number(), 'Null if value is.'),
      }),
      {
        description:
          'Quantile of the candidate ÷ quantile of the baseline − 1 (Harrell & Davis, on logarithms), with a simultaneous band; quartiles, or deciles from 50 rounds.',
      },
    ),
    confidence: number('Confidence of the band. With two modes it may be 80 to 90 % instead of 95 %.'),
    twoModes: Type.Boolean({ description: 'Whether the times of the candidate or the baseline show two modes.' }),
    words: Type.String({ description: 'Summary in a sentence or two.' }),
  },
  { description: 'How loads differ from the fastest to the slowest. Exploratory: it names no winner.' },
);
export type ByQuantile = Static<typeof ByQuantile>;

export const Comparison = Type.Object({
  metric: MetricName,
  candidate: Protocol,
  baseline: Protocol,
  confirmatory: Type.Boolean({
    description: 'The question fixed before the campaign: its primary metric, h3 against h2. All other comparisons are exploratory.',
  }),
  rounds: Type.Integer({ description: 'Rounds in which both have a value, or failed: each round is one pair.' }),
  failures: Type.Object(
    {
      rounds: Type.Integer({ description: 'Rounds in which both loaded or failed.' }),
      candidate: Type.Integer({ description: 'Rounds in which the candidate failed.' }),
      baseline: Type.Integer({ description: 'Rounds in which the baseline failed.' }),
      both: Type.Integer({ description: 'Rounds in which both failed; times say nothing about them.' }),
      unpaired: Type.Object(
        { candidate: Type.Integer(), baseline: Type.Integer() },
        {
          description:
            'Further rounds in which one failed and the other was not measured: no test uses them, but a protocol that failed there is not named faster.',
        },
      ),
      p: orNull(
        Type.Number(),
        'Test that both fail equally often: two-sided, exact, by the rounds in which only one failed (McNemar); uncorrected. Null if there are none.',
      ),
      words: Type.String({ description: 'Summary in a sentence or two, with how many failures this number of rounds can hide.' }),
    },
    { description: 'Loads that failed because of the page or its protocol, by round.' },
  ),
  delta: estimate(
    '(median candidate − median baseline) ÷ the larger one, over all visits; for h3 and h2 this is the H3-Delta. Bootstrap interval over whole rounds. Null if a median lies among failed loads.',
  ),
  deltaClass: orNull(SiteClass, 'Class of delta after Trevisan et al. 2021; null if there is no delta. It is no test result.'),
  deltaClassIsSure: Type.Boolean({
    description: 'Whether the whole interval of delta lies in that class; otherwise the class remains open.',
  }),
  medianDifference: estimate('Median candidate − median baseline, in the unit of the metric. Bootstrap interval over whole rounds.'),
  relativeMedianDifference: orNull(Type.Number(), '(median candidate − median baseline) ÷ median baseline.'),
  shift: estimate(
    'How far the candidate is above the baseline within a round, as a share of the baseline: exp(Hodges–Lehmann pseudomedian of ln(candidate ÷ baseline)) − 1. Interval of the signed-rank test. Null if a value is 0.',
  ),
  shiftAtMedian: orNull(
    Type.Number(),
    'The shift in the unit of the metric: shift × the baseline’s median. Null if either is unbounded, the median is 0, or the medians differ in the other direction.',
  ),
  hodgesLehmannShift: estimate(
    'Shift of the two samples treated as unpaired, in the unit of the metric; interval of the Mann–Whitney test.',
  ),
  shiftConfidence: number(
    'Confidence of the interval of shift: 1 − the level that the last look’s p is compared with, among all comparisons that are judged together. The interval excludes 0 if this p shows a difference, and contains 0 otherwise, except for ties. An earlier look alone may also show a winner.',
  ),
  confidence: number('Confidence of all other intervals except that of equivalence.'),
  signedRank: orNull(
    Type.Object({
      p: number('Two-sided, uncorrected.'),
      familyP: orNull(
        Type.Number(),
        'The value that is corrected: p over all looks, which is p itself if the number of rounds is fixed. Null: not judged with the others, because fewer than six of its rounds are untied.',
      ),
      adjustedP: number(
        'familyP, corrected for all comparisons of this metric and pair in the campaign; without the looks that favoured the side that is now behind.',
      ),
      statistic: number('W+: the rank sum of the rounds in which the candidate was higher.'),
      rankBiserial: number('For pairs, in [−1, 1]; negative if the candidate is lower.'),
      category: EffectCategory,
      method: Type.Enum(['exact', 'normal']),
    }),
    'Wilcoxon’s signed-rank test on rounds, which decides the verdict. Null if no round has both.',
  ),
  mannWhitney: orNull(
    Type.Object({
      p: number('Two-sided.'),
      statistic: number('U of the candidate.'),
      rankBiserial: number('In [−1, 1]; negative if the candidate is lower. For two samples it equals Cliff’s delta.'),
      category: EffectCategory,
      method: Type.Enum(['exact', 'normal']),
      cliffsDelta: Type.Number(),
      cliffsDeltaCategory: EffectCategory,
    }),
    'The samples treated as unpaired, for comparison with published results. Null if a sample is empty.',
  ),
  equivalence: orNull(
    Type.Object({
      equivalent: Type.Boolean(),
      low: orNull(Type.Number(), 'As a share of the baseline, like shift. Null: unbounded, because loads failed.'),
      high: orNull(Type.Number(), 'Null: unbounded, because loads failed.'),
      margin: number('Largest share that counts as no difference.'),
      confidence: number('Confidence of low and high.'),
      slowLoads: orNull(
        Type.Object({
          p: number(quantile),
          low: number('As a share of the baseline.'),
          high: number('As a share of the baseline.'),
          within: Type.Boolean({
            description: 'Whether low and high lie within the margin: then equivalence holds for slow loads too, not only typically.',
          }),
        }),
        'The difference at the upper quartile, or the upper decile from 50 rounds, by the same tests. Null if equivalent is false, below 20 rounds, or if the quantile may lie among failed loads.',
      ),
    }),
    'Two one-sided tests of this comparison, uncorrected. Null if too few rounds have both, or a value is 0.',
  ),
  byQuantile: orNull(ByQuantile, 'For the campaign’s question, from 20 rounds; otherwise null, also if a value is 0.'),
  practical: Type.Boolean({
    description:
      'The verdict names a winner, Mann–Whitney has p < 0.05 and |r| ≥ 0.3, and medians are 10 % apart: practically significant after Zahra & Ardiansyah 2026, who don’t require the verdict.',
  }),
  verdict: ComparisonVerdict,
});
export type Comparison = Static<typeof Comparison>;
