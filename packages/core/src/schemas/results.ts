// The answer of a campaign: for each site, condition and view, each slot's numbers and the comparison of h3 with h2.
import Type, { type Static } from 'typebox';
import { MetricName } from './metrics.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

const orNull = Type.Union([Type.Number(), Type.Null()]);

/** Of the sample of one metric. Quantiles by definition 7 of Hyndman & Fan 1996. */
export const Summary = Type.Object({
  n: Type.Integer({ minimum: 1 }),
  min: Type.Number(),
  max: Type.Number(),
  mean: Type.Number(),
  median: Type.Number(),
  p75: Type.Number(),
  p90: Type.Number(),
  p95: Type.Number(),
  p99: Type.Number(),
  stdev: Type.Union([Type.Number(), Type.Null()], { description: 'Sample standard deviation (n − 1); null for n = 1.' }),
  cv: Type.Union([Type.Number(), Type.Null()], { description: 'stdev ÷ mean; null where either is missing or the mean is 0.' }),
});
export type Summary = Static<typeof Summary>;

export const SlotResults = Type.Object({
  slot: Type.Integer(),
  protocol: Protocol,
  valid: Type.Integer({ description: 'Visits that count.' }),
  invalid: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer() }), {
    description: 'Every invalid visit, retried ones too.',
  }),
  metrics: Type.Record(Type.String(), Summary, { description: 'By metric; absent where no visit has a number.' }),
});
export type SlotResults = Static<typeof SlotResults>;

/** Two slots of one protocol (A/A): what differs between them is noise, so p should be uniform over many campaigns. */
export const SelfComparison = Type.Object({
  protocol: Protocol,
  slots: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
  metric: MetricName,
  rounds: Type.Integer({ description: 'Rounds in which both slots have a number.' }),
  delta: Type.Union([Type.Number(), Type.Null()], {
    description: '(median of the second − median of the first) ÷ the larger: H3-Delta’s formula on one protocol.',
  }),
  p: Type.Number({ description: 'Two-sided paired permutation test over rounds.' }),
});
export type SelfComparison = Static<typeof SelfComparison>;

export const GroupResults = Type.Object({
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  slots: Type.Array(SlotResults),
  h3Delta: Type.Record(Type.String(), orNull, { description: 'H3-Delta by metric; null where it is not defined.' }),
  selfComparisons: Type.Array(SelfComparison, {
    description: 'Of the primary metric, onLoad and SpeedIndex, where a protocol has two slots or more.',
  }),
});
export type GroupResults = Static<typeof GroupResults>;

export const CampaignResults = Type.Object({
  campaignId: Type.String(),
  primaryMetric: MetricName,
  groups: Type.Array(GroupResults),
});
export type CampaignResults = Static<typeof CampaignResults>;
