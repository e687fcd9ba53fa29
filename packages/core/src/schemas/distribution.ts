// The distribution of one metric, for box plots, violins and cumulative curves.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Censored } from './results.ts';
import { Protocol, View } from './vocabulary.ts';

const known = orNull(Type.Number(), 'Null: it lies among failed loads.');

/** The distribution of one sample, in the unit of its metric. */
export const Distribution = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Number of loads, including failed ones.' }),
  censored: Censored,
  box: Type.Object(
    { whiskerLow: known, lowerQuartile: known, median: known, upperQuartile: known, whiskerHigh: known },
    { description: 'Quartiles, with whiskers at p10 and p90.' },
  ),
  ecdf: Type.Object(
    {
      values: Type.Array(Type.Number(), { description: 'Ascending and distinct.' }),
      shares: Type.Array(Type.Number(), {
        description: 'Share of all loads that took at most the value at the same index; the last is below 1 if loads failed.',
      }),
    },
    { description: 'The empirical distribution function as the corners of its steps; empty if all loads failed.' },
  ),
  violin: orNull(
    Type.Object({
      bandwidth: Type.Number({ description: 'By Silverman’s rule.' }),
      values: Type.Array(Type.Number(), { description: 'Grid over the range of the sample, where the violin is cut.' }),
      densities: Type.Array(Type.Number(), { description: 'Density at each grid value; the area is 1.' }),
    }),
    'Kernel density of the loads that have a time. Null if all values are equal, or there are none.',
  ),
  modes: orNull(
    Type.Object({
      bimodal: Type.Boolean({ description: 'Whether two modes are shown: then the median alone says little.' }),
      p: Type.Number({ description: 'p-value of the test for one mode.' }),
      modes: Type.Array(Type.Object({ centre: Type.Number(), share: Type.Number() }), { description: 'Two if bimodal, otherwise one.' }),
    }),
    'Modes of the loads that have a time. Null with fewer than 6.',
  ),
  outliers: Type.Array(Type.Object({ value: Type.Number(), side: Type.Enum(['low', 'high']) }), {
    description: 'Values beyond Tukey’s fences: marked for inspection, but included in all numbers.',
  }),
});
export type Distribution = Static<typeof Distribution>;

export const CampaignDistributions = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  cells: Type.Array(
    Type.Object({
      siteId: Type.String(),
      condition: Type.String(),
      view: View,
      slots: Type.Array(
        Type.Object({ slot: Type.Integer(), protocol: Protocol, distribution: orNull(Distribution, 'Null without a value.') }),
      ),
    }),
  ),
});
export type CampaignDistributions = Static<typeof CampaignDistributions>;
