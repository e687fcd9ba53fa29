// What an A/A campaign shows about the machine, the page and the statistics: how often chance alone names a winner, and how small a
// difference can be detected.
import Type, { type Static } from 'typebox';
import { count, orNull, share } from './fields.ts';

const p = Type.Number({ minimum: 0, maximum: 1, description: 'Two-sided.' });

/** Consecutive rounds, treated as separate campaigns. */
export const SubCampaigns = Type.Object({
  rounds: Type.Integer({ minimum: 1, description: 'Rounds in each sub-campaign.' }),
  count: count('Number of sub-campaigns; no round is in two.'),
  roundsLeftOut: count('Rounds left at the end, too few for another one.'),
  ps: Type.Array(share('From the signed-rank test.'), { description: 'In chronological order.' }),
  falsePositives: Type.Object(
    {
      count: count('Sub-campaigns that name a winner.'),
      share: share('Share of the sub-campaigns.'),
      low: share('Lower end of its 95 % interval (Clopper–Pearson).'),
      high: share('Upper end of its 95 % interval.'),
      expected: share('Share expected by chance alone, for rounds without ties: at most 0.05, because p is discrete.'),
    },
    { description: 'Sub-campaigns with p ≤ 0.05.' },
  ),
  uniformity: Type.Object(
    { statistic: share('D: the largest distance from the uniform distribution.'), p: share('Small if they are not uniform.') },
    { description: 'Kolmogorov–Smirnov test of randomised p-values, which are uniform if nothing is wrong.' },
  ),
});
export type SubCampaigns = Static<typeof SubCampaigns>;

/** Whether a visit's position in its round changes its value. */
export const OrderEffect = Type.Object({
  rounds: Type.Integer({ minimum: 1, description: 'Rounds with a value at every position.' }),
  positions: Type.Array(Type.Number(), {
    description:
      'By position in the round, first to last: the median over rounds of the value ÷ its protocol’s median, minus 1. 0.01 is 1 % above.',
  }),
  p: Type.Number({ minimum: 0, maximum: 1, description: 'Test that positions don’t differ: Friedman; for two positions, signed-rank.' }),
  caution: orNull(Type.String(), 'Warning text; null if p may be chance among all tests of this calibration (Holm, 5 %).'),
});
export type OrderEffect = Static<typeof OrderEffect>;

export const Calibration = Type.Object({
  words: Type.String({ description: 'The findings, in one or two sentences.' }),
  cautions: Type.Array(Type.String(), {
    description: 'Warnings and open questions, in words. All tests of a site, condition and view are corrected together (Holm, 5 %).',
  }),
  rounds: Type.Integer({ minimum: 1, description: 'Rounds in which both visits have a value, or failed.' }),
  failures: Type.Object(
    { first: count('Rounds in which the first visit’s load failed.'), second: count('Rounds in which the second visit’s load failed.') },
    {
      description:
        'Failures are the largest values in the tests; spread, drift, correlation and detectable differences use the other rounds.',
    },
  ),
  whole: Type.Object(
    {
      p,
      relative: orNull(
        Type.Number(),
        'second ÷ first − 1: the pseudomedian over rounds. 0.01: the second is 1 % larger. Null: unbounded, because loads failed.',
      ),
      low: orNull(Type.Number(), 'Lower end of its 95 % interval; null: unbounded, because loads failed.'),
      high: orNull(Type.Number(), 'Upper end of its 95 % interval; null: unbounded, because loads failed.'),
    },
    { description: 'All rounds as one comparison of two slots that should not differ.' },
  ),
  subCampaigns: Type.Array(SubCampaigns, { description: 'One for each size that fits into the rounds.' }),
  spread: Type.Object(
    {
      stdev: Type.Number({ minimum: 0, description: 'Standard deviation of the log-ratios.' }),
      medianDifference: Type.Number({ minimum: 0, description: 'Relative: in half of the rounds the two visits differ by at most this.' }),
    },
    { description: 'Differences within a round between slots that should not differ.' },
  ),
  drift: orNull(
    Type.Object({
      tau: Type.Number({ minimum: -1, maximum: 1, description: 'Kendall’s τ of value against time.' }),
      p,
      change: Type.Number({ description: 'Relative change from the first round to the last (Theil–Sen). 0.1: values grew by 10 %.' }),
    }),
    'Trend of the rounds’ values over time (Mann–Kendall). Null if they are all equal.',
  ),
  autocorrelation: orNull(
    Type.Object({ coefficient: Type.Number({ minimum: -1, maximum: 1, description: 'At lag 1.' }), p }),
    'Autocorrelation of the log-ratios of successive rounds, which should be independent. Null if they are all equal.',
  ),
  detectable: Type.Array(
    Type.Object({
      rounds: Type.Integer({ minimum: 1 }),
      relative: orNull(
        Type.Number({ minimum: 0 }),
        'Null if this number of rounds can’t detect any difference, or the rounds show no noise.',
      ),
    }),
    { description: 'Smallest relative difference that a campaign of this many rounds detects with 80 % power at level 0.05.' },
  ),
});
export type Calibration = Static<typeof Calibration>;
