// A campaign at a glance: how far it is, what failed, and the answer to its question everywhere.
import Type, { type Static } from 'typebox';
import { doubts, verdictOutcomes } from '../vocabulary/verdict.ts';
import { DeltaDistribution } from './across.ts';
import { Campaign, CampaignState } from './campaign.ts';
import { Comparison } from './comparison.ts';
import { numberOrNull, orNull, Time } from './fields.ts';
import { MetricName } from './metrics.ts';
import { FailureRate, NotLoaded, NotLoadedOrNull } from './results.ts';
import { InvalidReason, View } from './vocabulary.ts';

const { rounds, failures, delta, shift, shiftAtMedian, shiftConfidence, confidence } = Comparison.properties;

/** The campaign's question, answered for a site under a condition in a view. */
export const GroupAnswer = Type.Object({
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  visits: Type.Object({
    valid: Type.Integer({ description: 'That count.' }),
    failed: Type.Integer({ description: 'That count as failures of the page or its protocol.' }),
    invalid: Type.Integer({ description: 'Every invalid one: those that failed, and those of the measurement itself.' }),
  }),
  notLoaded: NotLoadedOrNull,
  medians: Type.Record(Type.String(), numberOrNull('Null: it lies among loads that failed.'), {
    description: 'Of the primary metric, by protocol; absent without a number.',
  }),
  failures: Type.Record(Type.String(), FailureRate, { description: 'By protocol.' }),
  h3Delta: numberOrNull('Of all visits by now; null where it is not defined.'),
  comparison: orNull(
    Type.Object({
      outcome: Type.Enum([...verdictOutcomes]),
      words: Type.String(),
      doubts: Type.Array(Type.Enum([...doubts])),
      difference: orNull(
        Type.String(),
        'Of the candidate, in milliseconds and per cent: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %. Null where nothing can be compared.',
      ),
      rounds,
      failures,
      delta,
      shift,
      shiftAtMedian,
      shiftConfidence,
      confidence,
      p: numberOrNull('Of Wilcoxon’s signed-rank test, by itself.'),
      adjustedP: numberOrNull('Corrected for all comparisons of the campaign.'),
    }),
    'h3 against h2 on the primary metric; null where the campaign doesn’t compare them.',
  ),
});
export type GroupAnswer = Static<typeof GroupAnswer>;

export const Differing = Type.Object({
  least: Type.Integer({ minimum: 1, description: 'In so many they differ at least, whichever these are.' }),
  of: Type.Integer({ description: 'Sites, conditions and views that are compared.' }),
  confidence: Type.Number({ description: 'That `least` is not too many.' }),
  words: Type.String({ description: 'That, in a sentence.' }),
});
export type Differing = Static<typeof Differing>;

export const ConditionOverview = Type.Object({
  condition: Type.String(),
  view: View,
  delta: DeltaDistribution,
  outcomes: Type.Array(Type.Object({ outcome: Type.Enum([...verdictOutcomes]), count: Type.Integer({ minimum: 1 }) }), {
    description: 'How many sites have which verdict.',
  }),
});
export type ConditionOverview = Static<typeof ConditionOverview>;

export const CampaignSummary = Type.Object({
  campaignId: Type.String(),
  asOf: Time('ISO 8601: all of this is as it was then. Never older than the campaign’s last change of state.'),
  state: CampaignState,
  progress: Campaign.properties.progress,
  primaryMetric: MetricName,
  visits: Type.Object(
    {
      valid: Type.Integer({ description: 'That count.' }),
      failed: Type.Integer({ description: 'That count as failures of the page or its protocol.' }),
      invalid: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer() }), { description: 'The most frequent first.' }),
    },
    { description: 'Of finished rounds.' },
  ),
  differing: orNull(
    Differing,
    'In how many sites, conditions and views h3 and h2 differ on the primary metric at least; without those where something speaks against the measurement, or they differ by less than the margin. Null: fewer than ten are compared, nothing can be said, or adjustment is holm.',
  ),
  notLoaded: Type.Array(Type.Object({ siteId: Type.String(), words: NotLoaded.properties.words }), {
    description: 'Sites that no visit loaded, under whichever condition, in the order of the campaign.',
  }),
  overview: Type.Array(ConditionOverview, { description: 'For each condition and view, in the order of the campaign.' }),
  groups: Type.Array(GroupAnswer, { description: 'For each site, condition and view, in the order of the campaign.' }),
});
export type CampaignSummary = Static<typeof CampaignSummary>;
