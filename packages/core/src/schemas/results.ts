// The answer of a campaign: for each site, condition and view, each slot's numbers and the comparison of h3 with h2;
// and for each condition what its link was measured to do.
import Type, { type Static } from 'typebox';
import { Comparison } from './comparison.ts';
import { numberOrNull, orNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';
import { MetricName } from './metrics.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

/** By the coefficient of variation: at most 10 %, 15 %, 20 %, or more (Zahra & Ardiansyah 2026). */
export const CvClass = Type.Enum(['highly-consistent', 'consistent', 'sufficiently-consistent', 'inconsistent']);
export type CvClass = Static<typeof CvClass>;

const known = numberOrNull('Null where it lies among loads that failed: see censored.');

/** A load that failed has no time; all that is known is that it would have taken longer than the load limit. */
export const Censored = orNull(
  Type.Object({
    count: Type.Integer({ minimum: 1, description: 'Loads that failed, of n.' }),
    atLeastMs: numberOrNull('What they would have taken at least. Null: not known.'),
    words: Type.String({ description: 'That, in a sentence.' }),
  }),
  'Loads that failed: right-censored values of each time, above all that were measured. Null: none.',
);

/** Of the sample of one metric, loads that failed among it where it is a time. Quantiles by definition 7 of Hyndman & Fan 1996. */
export const Summary = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Loads that failed among them.' }),
  min: known,
  max: known,
  mean: numberOrNull('Null where a load failed: it depends on what nobody has seen.'),
  median: known,
  p5: known,
  p10: known,
  p25: known,
  p75: known,
  p90: known,
  p95: known,
  p99: known,
  iqr: numberOrNull('p75 − p25; null where p75 is.'),
  stdev: numberOrNull('Sample standard deviation (n − 1); null for n = 1, and where a load failed.'),
  cv: numberOrNull('stdev ÷ mean; null where either is missing or the mean is 0.'),
  cvClass: orNull(CvClass, 'By the size of cv; null where cv is.'),
  censored: Censored,
});
export type Summary = Static<typeof Summary>;

/** How often the page did not load, of the loads that count: in each round the first that is no failure of the measurement itself. */
export const FailureRate = Type.Object(
  {
    failed: Type.Integer({ minimum: 0 }),
    loads: Type.Integer({ minimum: 0, description: 'That count, failed ones among them.' }),
    share: numberOrNull('Null without a load.'),
    low: numberOrNull('95 %, by Clopper & Pearson; null without a load.'),
    high: numberOrNull('As low.'),
  },
  { description: 'Loads that failed because of the page or its protocol.' },
);
export type FailureRate = Static<typeof FailureRate>;

/** Of a page that no visit loaded. */
export const NotLoaded = Type.Object({
  reasons: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer({ minimum: 1 }) }), {
    minItems: 1,
    description: 'Of its visits, the most frequent first.',
  }),
  words: Type.String({ description: 'That, to go on after its name: could not be loaded: a host name did not resolve (9 of 9 visits)' }),
});
export type NotLoaded = Static<typeof NotLoaded>;
export const NotLoadedOrNull = orNull(
  NotLoaded,
  'Why no visit of it loaded the page, over whichever protocol; null: one did, or there is none yet.',
);

export const SlotResults = Type.Object({
  slot: Type.Integer(),
  protocol: Protocol,
  valid: Type.Integer({ description: 'Valid visits that count.' }),
  failures: FailureRate,
  invalid: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer() }), {
    description: 'Every invalid visit: those that count as failures, and those of the measurement itself, which were repeated.',
  }),
  receiveDrops: orNull(
    Type.Object({
      visits: Type.Integer({ description: 'Visits that lost any.' }),
      datagrams: Type.Integer({ description: 'In all of them.' }),
      words: Type.String({ description: 'What that means, in a sentence.' }),
    }),
    'Datagrams that crossed the link and found the browser’s receive buffer full, in visits that count; null: none.',
  ),
  metrics: Type.Record(Type.String(), Summary, { description: 'By metric; absent where no visit has a number.' }),
});
export type SlotResults = Static<typeof SlotResults>;

/** Two slots of one protocol (A/A): what differs between them is noise, so p should be uniform over many campaigns. */
export const SelfComparison = Type.Object({
  protocol: Protocol,
  slots: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
  metric: MetricName,
  rounds: Type.Integer({ description: 'Rounds in which both slots have a number.' }),
  delta: orNull(Type.Number(), '(median of the second − median of the first) ÷ the larger: H3-Delta’s formula on one protocol.'),
  p: Type.Number({ description: 'Two-sided, by Wilcoxon’s signed-rank test over rounds: the test that verdicts are made of.' }),
});
export type SelfComparison = Static<typeof SelfComparison>;

export const GroupResults = Type.Object({
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  slots: Type.Array(SlotResults),
  notLoaded: NotLoadedOrNull,
  h3Delta: Type.Record(Type.String(), orNull(Type.Number()), {
    description: 'H3-Delta by metric; null where it is not defined: no number, both medians 0, or one among loads that failed.',
  }),
  connectionNote: orNull(
    Type.String(),
    'Of REST calls in a cold view, where one protocol opened at least twice the connections of another: what that means. Null: nothing to say.',
  ),
  sinceLook: orNull(
    Type.Object({
      judged: Type.Integer({ description: 'Rounds until the last look: what the comparisons are made of.' }),
      finished: Type.Integer({ description: 'Rounds by now: what the slots’ numbers and h3Delta are made of.' }),
      words: Type.String({ description: 'That, in a sentence.' }),
    }),
    'Where rounds have finished since the last planned look of a campaign that goes on until it is settled; else null.',
  ),
  comparisons: Type.Array(Comparison, {
    description: 'Of each pair of protocols on the primary metric, onLoad, SpeedIndex and LCP, with their verdicts.',
  }),
  selfComparisons: Type.Array(SelfComparison, {
    description: 'Of the primary metric, onLoad and SpeedIndex, where a protocol has two slots or more.',
  }),
});
export type GroupResults = Static<typeof GroupResults>;

const MeasuredLinkDirection = Type.Object({
  loss: Type.Object(
    { requestedShare: Type.Number(), sent: Type.Integer(), lost: Type.Integer() },
    { description: 'Of all checks together.' },
  ),
  rates: Type.Array(
    Type.Object({
      transport: Type.Enum(['udp', 'tcp']),
      requestedKbps: orNull(Type.Number()),
      medianKbps: Type.Number({ description: 'On the wire.' }),
    }),
  ),
});

/** What a link did under one condition, by all of its checks that found nothing out of tolerance. */
export const MeasuredLink = Type.Object({
  words: Type.String({ description: 'All of this in one line.' }),
  checks: Type.Integer({ description: 'Without faults: what the numbers are made of.' }),
  faulty: Type.Integer({ description: 'Checks that found the link out of tolerance.' }),
  backends: Type.Array(LinkBackend),
  kernels: Type.Array(Type.String()),
  rtt: orNull(
    Type.Object({ requestedMs: Type.Number(), medianMs: Type.Number() }),
    'Median over the checks of their median round trips; null when every check found a fault.',
  ),
  up: orNull(MeasuredLinkDirection, 'Null where no check measured loss and rate.'),
  down: orNull(MeasuredLinkDirection),
});
export type MeasuredLink = Static<typeof MeasuredLink>;

export const ConditionResults = Type.Object({
  condition: Type.String({ description: 'Its name.' }),
  words: Type.String({ description: 'What it does, in one line.' }),
  link: orNull(MeasuredLink, 'Null when the link was never checked.'),
});
export type ConditionResults = Static<typeof ConditionResults>;

export const CampaignResults = Type.Object({
  campaignId: Type.String(),
  primaryMetric: MetricName,
  conditions: Type.Array(ConditionResults, { description: 'In the order of the campaign.' }),
  groups: Type.Array(GroupResults),
});
export type CampaignResults = Static<typeof CampaignResults>;

/** With `limit` or `cursor` there is a page of groups; without, all of them. Numbers are those of the whole campaign in any case. */
export const CampaignResultsPage = Type.Object({
  ...CampaignResults.properties,
  nextCursor: Type.Optional(
    orNull(Type.String(), 'Ask for the next page with it; null on the last. Absent where all groups were asked for.'),
  ),
});
export type CampaignResultsPage = Static<typeof CampaignResultsPage>;

/** A comparison in a list, which says where it belongs. */
export const ListedComparison = Type.Object({ siteId: Type.String(), condition: Type.String(), view: View, ...Comparison.properties });
export type ListedComparison = Static<typeof ListedComparison>;
