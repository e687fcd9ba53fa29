// How the values of one metric spread: what a box plot, a violin and a cumulative curve are drawn of.
import Type, { type Static } from 'typebox';
import { orNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Censored } from './results.ts';
import { Protocol, View } from './vocabulary.ts';

const known = orNull(Type.Number(), 'Null: it lies among loads that failed.');

/** Of one sample, in the unit of its metric. */
export const Distribution = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Loads that failed among them.' }),
  censored: Censored,
  box: Type.Object(
    { whiskerLow: known, lowerQuartile: known, median: known, upperQuartile: known, whiskerHigh: known },
    { description: 'Quartiles, with whiskers at p10 and p90.' },
  ),
  ecdf: Type.Object(
    {
      values: Type.Array(Type.Number(), { description: 'Ascending, each once.' }),
      shares: Type.Array(Type.Number(), {
        description: 'Of all loads those that took at most the value at the same place; the last is below 1 where loads failed.',
      }),
    },
    { description: 'The empirical distribution function as the corners of its steps; empty where all failed.' },
  ),
  violin: orNull(
    Type.Object({
      bandwidth: Type.Number({ description: 'By Silverman’s rule.' }),
      values: Type.Array(Type.Number(), { description: 'A grid over the range of the sample: it is cut there.' }),
      densities: Type.Array(Type.Number(), { description: 'At them; the area is 1.' }),
    }),
    'Kernel density of the loads that have a time. Null where all values are equal, or none has one.',
  ),
  modes: orNull(
    Type.Object({
      bimodal: Type.Boolean({ description: 'Two modes are shown: the median alone says little.' }),
      p: Type.Number({ description: 'That there is one mode.' }),
      modes: Type.Array(Type.Object({ centre: Type.Number(), share: Type.Number() }), { description: 'Two where shown, else one.' }),
    }),
    'Of the loads that have a time. Null for fewer than 6.',
  ),
  outliers: Type.Array(Type.Object({ value: Type.Number(), side: Type.Enum(['low', 'high']) }), {
    description: 'Beyond Tukey’s fences: marked to be looked at, in all numbers all the same.',
  }),
});
export type Distribution = Static<typeof Distribution>;

export const CampaignDistributions = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  groups: Type.Array(
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
