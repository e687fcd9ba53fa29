// Two protocols compared on one metric: what differs, how sure that is, and what follows.
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
  value: orNull(Type.Number(), 'Null: unbounded, since loads failed.'),
  low: orNull(Type.Number(), 'Null where too few rounds can reach the confidence, and where it is unbounded.'),
  high: orNull(Type.Number(), 'As low.'),
  unbounded: Type.Optional(
    Type.Object(
      { value: Beyond, low: Beyond, high: Beyond },
      { description: 'Which of these lie above, or below, every number, since so many loads failed. Absent: none.' },
    ),
  ),
});
export type Estimate = Static<typeof Estimate>;
const estimate = (description: string) => orNull(Estimate, description);

const EffectCategory = Type.Enum([...effectCategories]);

export const VerdictOutcome = Type.Enum([...verdictOutcomes]);
export type VerdictOutcome = (typeof verdictOutcomes)[number];

export const MoreRounds = Type.Object({
  least: Type.Integer({ minimum: 1, description: 'Fewer settle nothing.' }),
  givenUp: Type.Boolean({
    description:
      'The campaign goes on until it is settled, and adds no more rounds here: up to its last look they would hardly settle it. A difference would be found with a chance below 80 %, equivalence be shown with one below 20 %, for every shift within its 95 % interval.',
  }),
  words: Type.String({
    description:
      'As far as the rounds so far tell: below ten of them what it takes at least, else the range that the interval of the shift leaves, with a power of 80 %.',
  }),
});
export type MoreRounds = Static<typeof MoreRounds>;

export const ComparisonVerdict = Type.Object({
  outcome: Type.Enum([...verdictOutcomes], {
    description:
      'faster: the paired test rejects that there is no difference, corrected for all comparisons, and nothing speaks against it; equivalent: the interval lies inside the margin, and slow loads are not shown to differ by more; not-shown-yet: all rounds are on one side, and too few to exclude chance; else inconclusive.',
  }),
  words: Type.String({ description: 'The verdict with its numbers, in a sentence or two.' }),
  doubts: Type.Array(Type.Object({ doubt: Type.Enum([...doubts]), words: Type.String() }), {
    description: 'With any of them no winner is named.',
  }),
  moreRounds: orNull(MoreRounds, 'How many more rounds would settle it; null where it is settled, and where nothing can be said.'),
});
export type ComparisonVerdict = Static<typeof ComparisonVerdict>;

const quantile = 'The quantile: 0.9 is the time at or below which nine tenths of the loads lie.';

export const ByQuantile = Type.Object(
  {
    p: number('That no quantile differs: two-sided, by exchanging the protocols within rounds; for all quantiles together, by itself.'),
    quantiles: Type.Array(
      Type.Object({
        p: number(quantile),
        value: orNull(Type.Number(), 'Null where the quantile may lie among loads that failed.'),
        low: orNull(Type.Number(), 'Null where value is.'),
        high: orNull(Type.Number(), 'Null where value is.'),
      }),
      {
        description:
          'quantile of the candidate ÷ quantile of the baseline − 1 (Harrell & Davis, of logarithms), with the band that holds all of them together; quartiles, from 50 rounds deciles.',
      },
    ),
    confidence: number('Of the band. Where times have two modes it may be 80 to 90 % instead of 95.'),
    twoModes: Type.Boolean({ description: 'Times of the candidate or the baseline are seen to have two modes.' }),
    words: Type.String({ description: 'That, in a sentence or two.' }),
  },
  { description: 'How the loads differ from the fastest to the slowest. It explores, and names no winner.' },
);
export type ByQuantile = Static<typeof ByQuantile>;

export const Comparison = Type.Object({
  metric: MetricName,
  candidate: Protocol,
  baseline: Protocol,
  confirmatory: Type.Boolean({
    description: 'The question fixed before the campaign: its primary metric, h3 against h2. All else explores.',
  }),
  rounds: Type.Integer({ description: 'In which both have a number, or failed: rounds are blocks, and these are the pairs.' }),
  failures: Type.Object(
    {
      rounds: Type.Integer({ description: 'In which both loaded or failed.' }),
      candidate: Type.Integer({ description: 'Of them, in which the candidate failed.' }),
      baseline: Type.Integer({ description: 'In which the baseline failed.' }),
      both: Type.Integer({ description: 'In which both did: of these the times say nothing.' }),
      unpaired: Type.Object(
        { candidate: Type.Integer(), baseline: Type.Integer() },
        {
          description:
            'Further rounds in which one failed and the other was not measured: no test takes them, but whoever failed there is not named faster.',
        },
      ),
      p: orNull(
        Type.Number(),
        'That one fails as often as the other: two-sided, exact, by the rounds in which one alone failed (McNemar); by itself. Null where there are none.',
      ),
      words: Type.String({ description: 'That, in a sentence or two; and how many failures so few rounds can hide.' }),
    },
    { description: 'Loads that failed because of the page or its protocol, within rounds.' },
  ),
  delta: estimate(
    '(median candidate − median baseline) ÷ the larger, of all visits; of h3 and h2 it is the H3-Delta. Interval by bootstrap of whole rounds. Null where a median lies among loads that failed.',
  ),
  deltaClass: orNull(
    SiteClass,
    'Where delta lies, as Trevisan et al. 2021 class sites; null where there is no delta. No test stands behind it.',
  ),
  deltaClassIsSure: Type.Boolean({ description: 'The interval of delta lies in that class as a whole; else the class remains open.' }),
  medianDifference: estimate('Median candidate − median baseline, in the unit of the metric. Interval by bootstrap of whole rounds.'),
  relativeMedianDifference: orNull(Type.Number(), '(median candidate − median baseline) ÷ median baseline.'),
  shift: estimate(
    'How much the candidate is above the baseline within a round, as a share of the baseline: exp(Hodges–Lehmann pseudomedian of ln(candidate ÷ baseline)) − 1. Interval of the signed-rank test. Null where a value is 0.',
  ),
  shiftAtMedian: orNull(
    Type.Number(),
    'The same in the unit of the metric: shift × the baseline’s median. Null where either is unbounded, and where the medians lie the other way round.',
  ),
  hodgesLehmannShift: estimate(
    'Of the two samples as if they were not paired, in the unit of the metric; interval of the Mann–Whitney test.',
  ),
  shiftConfidence: number(
    'Of the interval of shift: 1 − what the last look’s p is held against among all comparisons that are judged together. So it leaves 0 out where this p shows a difference, and holds it where it does not, but for ties; a winner may be shown by an earlier look alone.',
  ),
  confidence: number('Of all other intervals but that of equivalence.'),
  signedRank: orNull(
    Type.Object({
      p: number('Two-sided, by itself.'),
      familyP: orNull(
        Type.Number(),
        'What is corrected: p over all looks, which is p itself in a campaign of a fixed number of rounds. Null: it is not judged with the others, since fewer than six of its rounds are no tie.',
      ),
      adjustedP: number(
        'familyP, corrected for all comparisons of this metric and pair in the campaign; without those looks that spoke for the other side than is ahead now.',
      ),
      statistic: number('W+: the rank sum of the rounds in which the candidate was above.'),
      rankBiserial: number('Of pairs, in [−1, 1]; negative where the candidate is lower.'),
      category: EffectCategory,
      method: Type.Enum(['exact', 'normal']),
    }),
    'Wilcoxon’s test on rounds, which decides. Null without a round that has both.',
  ),
  mannWhitney: orNull(
    Type.Object({
      p: number('Two-sided.'),
      statistic: number('U of the candidate.'),
      rankBiserial: number('In [−1, 1]; negative where the candidate is lower. For two samples Cliff’s delta is the same number.'),
      category: EffectCategory,
      method: Type.Enum(['exact', 'normal']),
      cliffsDelta: Type.Number(),
      cliffsDeltaCategory: EffectCategory,
    }),
    'The samples as if they were not paired, for comparison with published results. Null without a sample.',
  ),
  equivalence: orNull(
    Type.Object({
      equivalent: Type.Boolean(),
      low: orNull(Type.Number(), 'As a share of the baseline, as shift. Null: unbounded, since loads failed.'),
      high: orNull(Type.Number(), 'Null: unbounded, since loads failed.'),
      margin: number('The largest share that counts as no difference.'),
      confidence: number('Of low and high.'),
      slowLoads: orNull(
        Type.Object({
          p: number(quantile),
          low: number('As a share of the baseline.'),
          high: number('As low.'),
          within: Type.Boolean({
            description: 'low and high lie inside the margin: it holds for so many of the loads, not only typically.',
          }),
        }),
        'The difference at the upper quartile, from 50 rounds the upper decile, by the same tests. Null where equivalent is false, below 20 rounds, and where that may lie among loads that failed.',
      ),
    }),
    'Two one-sided tests, of this comparison by itself. Null where too few rounds have both, or a value is 0.',
  ),
  byQuantile: orNull(ByQuantile, 'Of the campaign’s question from 20 rounds on; null else, and where a value is 0.'),
  practical: Type.Boolean({
    description:
      'The verdict names a winner, p < 0.05 and |r| ≥ 0.3 of Mann–Whitney, and medians are 10 % apart: practically significant after Zahra & Ardiansyah 2026, who don’t ask for the verdict.',
  }),
  verdict: ComparisonVerdict,
});
export type Comparison = Static<typeof Comparison>;
