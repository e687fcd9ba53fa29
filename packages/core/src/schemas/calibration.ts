// What an A/A campaign says of the machine, the page and the statistics: how often chance alone names a winner, and how small a difference
// can be seen.
import Type, { type Static } from 'typebox';
import { count, orNull, share } from './fields.ts';

const p = Type.Number({ minimum: 0, maximum: 1, description: 'Two-sided.' });

/** Rounds one after another, taken as if they were a campaign of their own. */
export const SubCampaigns = Type.Object({
  rounds: Type.Integer({ minimum: 1, description: 'Of each.' }),
  count: count('Sub-campaigns; no round is in two.'),
  roundsLeftOut: count('At the end, too few for another one.'),
  ps: Type.Array(share('Of the signed-rank test.'), { description: 'In the order of time.' }),
  falsePositives: Type.Object(
    {
      count: count('Sub-campaigns that name a winner.'),
      share: share('Of the sub-campaigns.'),
      low: share('Of its 95 % interval (Clopper–Pearson).'),
      high: share('Of its 95 % interval.'),
      expected: share('What the test makes of rounds without ties by chance alone: at most 0.05, since p takes few values.'),
    },
    { description: 'p ≤ 0.05.' },
  ),
  uniformity: Type.Object(
    { statistic: share('D: the largest distance from the uniform distribution.'), p: share('Small: they are not uniform.') },
    { description: 'Kolmogorov–Smirnov test of randomised p-values, which are uniform where all is well.' },
  ),
});
export type SubCampaigns = Static<typeof SubCampaigns>;

/** Whether a visit's place in its round changes its number. */
export const PlaceEffect = Type.Object({
  rounds: Type.Integer({ minimum: 1, description: 'With a number at every place.' }),
  places: Type.Array(Type.Number(), {
    description:
      'From the first visit of a round to the last: the median over rounds of the value ÷ its protocol’s median, less one. 0.01: 1 % above.',
  }),
  p: Type.Number({ minimum: 0, maximum: 1, description: 'That places differ no more than by chance: Friedman; of two, signed-rank.' }),
  caution: orNull(Type.String(), 'In words; null where p may be chance among all tests of this calibration (Holm, 5 %).'),
});
export type PlaceEffect = Static<typeof PlaceEffect>;

export const Calibration = Type.Object({
  words: Type.String({ description: 'What was found, in one or two sentences.' }),
  cautions: Type.Array(Type.String(), {
    description:
      'What is not as it should be, or remains open, in words. All tests of a site, condition and view are corrected together (Holm, 5 %).',
  }),
  rounds: Type.Integer({ minimum: 1, description: 'Rounds in which both visits have a number, or failed.' }),
  failures: Type.Object(
    { first: count('Rounds in which the first visit’s load failed.'), second: count('In which the second’s did.') },
    {
      description: 'They are the largest values in the tests; spread, drift, correlation and what can be detected are of the other rounds.',
    },
  ),
  whole: Type.Object(
    {
      p,
      relative: orNull(
        Type.Number(),
        'second ÷ first − 1: the pseudomedian over rounds. 0.01: the second is larger by 1 %. Null: unbounded, since loads failed.',
      ),
      low: orNull(Type.Number(), 'Of its 95 % interval; null: unbounded, since loads failed.'),
      high: orNull(Type.Number(), 'Of its 95 % interval; as low.'),
    },
    { description: 'All rounds as one comparison, of what should be alike.' },
  ),
  subCampaigns: Type.Array(SubCampaigns, { description: 'For each size that fits into the rounds.' }),
  spread: Type.Object(
    {
      stdev: Type.Number({ minimum: 0, description: 'Of the log-ratios.' }),
      medianDifference: Type.Number({ minimum: 0, description: 'Relative: in half of the rounds the two visits differ by no more.' }),
    },
    { description: 'Of what should be alike within a round.' },
  ),
  drift: orNull(
    Type.Object({
      tau: Type.Number({ minimum: -1, maximum: 1, description: 'Kendall’s τ of value and time.' }),
      p,
      change: Type.Number({ description: 'From the first round to the last, relative (Theil–Sen). 0.1: values grew by 10 %.' }),
    }),
    'Of the rounds’ values over time (Mann–Kendall). Null where they are all equal.',
  ),
  autocorrelation: orNull(
    Type.Object({ coefficient: Type.Number({ minimum: -1, maximum: 1, description: 'Of lag 1.' }), p }),
    'Of the log-ratios of neighbouring rounds, which should be independent. Null where they are all equal.',
  ),
  detectable: Type.Array(
    Type.Object({
      rounds: Type.Integer({ minimum: 1 }),
      relative: orNull(Type.Number({ minimum: 0 }), 'Null where so few rounds find no difference, or the rounds show no noise.'),
    }),
    { description: 'The smallest relative difference that a campaign of so many rounds finds with 80 % power at 0.05.' },
  ),
});
export type Calibration = Static<typeof Calibration>;
