// A campaign at a glance: its progress, its failures, and the answer to its question in each cell.
import Type, { type Static } from 'typebox';
import { doubts, verdictOutcomes } from '../vocabulary/verdict.ts';
import { DeltaDistribution } from './across.ts';
import { Campaign, CampaignState } from './campaign.ts';
import { Caveats } from './caveat.ts';
import { Comparison, MoreRounds } from './comparison.ts';
import { numberOrNull, orNull, Time } from './fields.ts';
import { MetricName } from './metrics.ts';
import { FailureRate, NotLoaded, NotLoadedOrNull } from './results.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

const { rounds, failures, delta, shift, shiftAtMedian, shiftConfidence, confidence } = Comparison.properties;

/** The answer to the campaign's question in one cell. */
export const CellAnswer = Type.Object({
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  visits: Type.Object({
    valid: Type.Integer({ description: 'Valid visits that count.' }),
    failed: Type.Integer({ description: 'Failures of the page or its protocol that count.' }),
    invalid: Type.Integer({ description: 'All invalid visits: failures that count, and failures of the measurement itself.' }),
  }),
  notLoaded: NotLoadedOrNull,
  medians: Type.Record(Type.String(), numberOrNull('Null: it lies among failed loads.'), {
    description: 'Median of the metric by protocol; absent without a value.',
  }),
  failures: Type.Record(Type.String(), FailureRate, { description: 'By protocol.' }),
  h3Delta: numberOrNull('From all visits so far; null if undefined.'),
  comparison: orNull(
    Type.Object({
      outcome: Type.Enum([...verdictOutcomes]),
      ahead: orNull(
        Protocol,
        'The protocol that the paired test favours, however clearly; the winner, if outcome names one. Null: neither, or nothing can be compared.',
      ),
      words: Type.String(),
      doubts: Type.Array(Type.Enum([...doubts])),
      difference: orNull(
        Type.String(),
        'The candidate’s difference, in milliseconds and per cent: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %. Null if nothing can be compared.',
      ),
      rounds,
      failures,
      delta,
      shift,
      shiftAtMedian,
      shiftConfidence,
      confidence,
      p: numberOrNull('Of Wilcoxon’s signed-rank test, uncorrected.'),
      adjustedP: numberOrNull('Corrected for all comparisons of the campaign.'),
      moreRounds: orNull(MoreRounds, 'How many more rounds would settle it; null if it is settled, or if unknown.'),
    }),
    'h3 against h2 on the metric; null if the campaign doesn’t compare them on it.',
  ),
});
export type CellAnswer = Static<typeof CellAnswer>;

/** What `CampaignSummary` says of the primary metric, for any metric. */
export const CampaignAnswers = Type.Object({
  campaignId: Type.String(),
  metric: MetricName,
  cells: Type.Array(CellAnswer, { description: 'One for each site, condition and view, in the order of the campaign.' }),
});
export type CampaignAnswers = Static<typeof CampaignAnswers>;

/** The visit of a slot that shows best what its median says. */
export const MedianVisit = Type.Object({
  slot: Type.Integer(),
  protocol: Protocol,
  visitId: Type.String(),
  value: Type.Number({ description: 'Of this visit.' }),
  median: Type.Number({ description: 'Of all valid visits of the slot that count.' }),
});
export const MedianVisits = Type.Object({
  metric: MetricName,
  visits: Type.Array(MedianVisit, {
    description: 'For each slot with a value, the counted valid visit nearest the median; of two equally near, the earlier one.',
  }),
});
export type MedianVisits = Static<typeof MedianVisits>;

export const Differing = Type.Object({
  least: Type.Integer({ minimum: 1, description: 'At least this many cells differ, without saying which ones.' }),
  of: Type.Integer({ description: 'Cells (site × condition × view) that are compared.' }),
  confidence: Type.Number({ description: 'Confidence that `least` is not too high.' }),
  words: Type.String({ description: 'Summary in a sentence.' }),
});
export type Differing = Static<typeof Differing>;

export const ConditionOverview = Type.Object({
  condition: Type.String(),
  view: View,
  delta: DeltaDistribution,
  outcomes: Type.Array(Type.Object({ outcome: Type.Enum([...verdictOutcomes]), count: Type.Integer({ minimum: 1 }) }), {
    description: 'Number of sites by verdict.',
  }),
});
export type ConditionOverview = Static<typeof ConditionOverview>;

export const CampaignSummary = Type.Object({
  campaignId: Type.String(),
  asOf: Time('ISO 8601: time of this summary. Never older than the campaign’s last change of state.'),
  state: CampaignState,
  progress: Campaign.properties.progress,
  primaryMetric: MetricName,
  visits: Type.Object(
    {
      valid: Type.Integer({ description: 'Valid visits that count.' }),
      failed: Type.Integer({ description: 'Failures of the page or its protocol that count.' }),
      invalid: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer() }), { description: 'Most frequent first.' }),
    },
    { description: 'Visits of finished rounds.' },
  ),
  caveats: Caveats,
  differing: orNull(
    Differing,
    'Minimum number of cells in which h3 and h2 differ on the primary metric, without cells that have a doubt, or differ by less than the margin. Null: fewer than ten are compared, nothing can be said, or adjustment is holm.',
  ),
  notLoaded: Type.Array(Type.Object({ siteId: Type.String(), words: NotLoaded.properties.words }), {
    description: 'Sites that no visit loaded under any condition, in the order of the campaign.',
  }),
  overview: Type.Array(ConditionOverview, { description: 'One for each condition and view, in the order of the campaign.' }),
  cells: Type.Array(CellAnswer, { description: 'One for each site, condition and view, in the order of the campaign.' }),
});
export type CampaignSummary = Static<typeof CampaignSummary>;
