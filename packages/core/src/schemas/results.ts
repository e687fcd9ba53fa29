// Results of a campaign: for each cell, each slot's numbers and the comparison of h3 with h2; for each condition, the measurements of its link.
import Type, { type Static } from 'typebox';
import { Comparison } from './comparison.ts';
import { numberOrNull, orNull } from './fields.ts';
import { LinkBackend } from './link-check.ts';
import { MetricName } from './metrics.ts';
import { InvalidReason, Protocol, View } from './vocabulary.ts';

/** By the coefficient of variation: at most 10 %, 15 %, 20 %, or more (Zahra & Ardiansyah 2026). */
export const CvClass = Type.Enum(['highly-consistent', 'consistent', 'sufficiently-consistent', 'inconsistent']);
export type CvClass = Static<typeof CvClass>;

const known = numberOrNull('Null if it lies among failed loads: see censored.');

/** A failed load has no time; it would have taken longer than the load limit. */
export const Censored = orNull(
  Type.Object({
    count: Type.Integer({ minimum: 1, description: 'Failed loads among n.' }),
    atLeastMs: numberOrNull('Lower bound of the time that they would have taken. Null: unknown.'),
    words: Type.String({ description: 'Summary in a sentence.' }),
  }),
  'Failed loads: right-censored values of each time, above all measured ones. Null: none.',
);

/** Summary of one metric's sample, including failed loads if it is a time. Quantiles by definition 7 of Hyndman & Fan 1996. */
export const Summary = Type.Object({
  n: Type.Integer({ minimum: 1, description: 'Number of loads, including failed ones.' }),
  min: known,
  max: known,
  mean: numberOrNull('Null if a load failed: the mean depends on its unknown time.'),
  median: known,
  p5: known,
  p10: known,
  p25: known,
  p75: known,
  p90: known,
  p95: known,
  p99: known,
  iqr: numberOrNull('p75 − p25; null if p75 is.'),
  stdev: numberOrNull('Sample standard deviation (n − 1); null for n = 1, or if a load failed.'),
  cv: numberOrNull('stdev ÷ mean; null if either is missing or the mean is 0.'),
  cvClass: orNull(CvClass, 'Class of cv; null if cv is.'),
  censored: Censored,
});
export type Summary = Static<typeof Summary>;

/** How often the page did not load, among the loads that count: in each round the first that is not a failure of the measurement itself. */
export const FailureRate = Type.Object(
  {
    failed: Type.Integer({ minimum: 0 }),
    loads: Type.Integer({ minimum: 0, description: 'Loads that count, including failed ones.' }),
    share: numberOrNull('Null without a load.'),
    low: numberOrNull('95 % interval (Clopper–Pearson); null without a load.'),
    high: numberOrNull('See low.'),
  },
  { description: 'Loads that failed because of the page or its protocol.' },
);
export type FailureRate = Static<typeof FailureRate>;

/** A page that no visit loaded. */
export const NotLoaded = Type.Object({
  reasons: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer({ minimum: 1 }) }), {
    minItems: 1,
    description: 'Reasons of its visits, most frequent first.',
  }),
  words: Type.String({
    description: 'The reasons, as a phrase to follow its name: could not be loaded: a host name did not resolve (9 of 9 visits)',
  }),
});
export type NotLoaded = Static<typeof NotLoaded>;
export const NotLoadedOrNull = orNull(
  NotLoaded,
  'Why no visit loaded the page, over any protocol; null: one did, or there is no visit yet.',
);

export const SlotResults = Type.Object({
  slot: Type.Integer(),
  protocol: Protocol,
  valid: Type.Integer({ description: 'Valid visits that count.' }),
  failures: FailureRate,
  invalid: Type.Array(Type.Object({ reason: InvalidReason, count: Type.Integer() }), {
    description: 'All invalid visits: failures that count, and failures of the measurement itself, which were repeated.',
  }),
  receiveDrops: orNull(
    Type.Object({
      visits: Type.Integer({ description: 'Visits that lost any.' }),
      datagrams: Type.Integer({ description: 'Datagrams lost in all of them.' }),
      words: Type.String({ description: 'What it means, in a sentence.' }),
    }),
    'Datagrams that crossed the link but found the browser’s receive buffer full, in visits that count; null: none.',
  ),
  metrics: Type.Record(Type.String(), Summary, { description: 'By metric; absent if no visit has a value.' }),
});
export type SlotResults = Static<typeof SlotResults>;

/** Two slots of one protocol (A/A): differences between them are noise, so p should be uniform over many campaigns. */
export const SelfComparison = Type.Object({
  protocol: Protocol,
  slots: Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }),
  metric: MetricName,
  rounds: Type.Integer({ description: 'Rounds in which both slots have a value.' }),
  delta: orNull(Type.Number(), '(median of the second − median of the first) ÷ the larger one: H3-Delta’s formula on one protocol.'),
  p: Type.Number({ description: 'Two-sided, by Wilcoxon’s signed-rank test over rounds, which also decides verdicts.' }),
});
export type SelfComparison = Static<typeof SelfComparison>;

export const CellResults = Type.Object({
  siteId: Type.String(),
  condition: Type.String(),
  view: View,
  slots: Type.Array(SlotResults),
  notLoaded: NotLoadedOrNull,
  h3Delta: Type.Record(Type.String(), orNull(Type.Number()), {
    description: 'H3-Delta by metric; null if undefined: no value, both medians 0, or one among failed loads.',
  }),
  connectionNote: orNull(
    Type.String(),
    'For REST calls in a cold view: what it means that one protocol opened at least twice as many connections as another. Null: none did.',
  ),
  sinceLook: orNull(
    Type.Object({
      judged: Type.Integer({ description: 'Rounds at the last look, which the comparisons use.' }),
      finished: Type.Integer({ description: 'Rounds finished by now, which the slots’ numbers and h3Delta use.' }),
      words: Type.String({ description: 'Summary in a sentence.' }),
    }),
    'If rounds have finished since the last planned look of a campaign that runs until settled; otherwise null.',
  ),
  orderEffect: orNull(
    Type.Object({
      rounds: Type.Integer({ description: 'Rounds in which all visits have a value.' }),
      positions: Type.Array(Type.Number(), {
        description: 'For each place in a round, how far the median visit lies from the median of its protocol: 0.1 is 10 % more.',
      }),
      p: Type.Number({ description: 'Two-sided: signed-rank test of two places, Friedman’s of more.' }),
      words: orNull(Type.String(), 'What it means, and what to do; null: it may be chance.'),
    }),
    'Whether the place of a visit in its round decides the primary metric; null: fewer than ten whole rounds.',
  ),
  comparisons: Type.Array(Comparison, {
    description: 'Comparison of each pair of protocols on the primary metric, onLoad, SpeedIndex and LCP, with its verdict.',
  }),
  selfComparisons: Type.Array(SelfComparison, {
    description: 'On the primary metric, onLoad and SpeedIndex, if a protocol has two slots or more.',
  }),
});
export type CellResults = Static<typeof CellResults>;

const MeasuredLinkDirection = Type.Object({
  loss: Type.Object({ requestedShare: Type.Number(), sent: Type.Integer(), lost: Type.Integer() }, { description: 'All checks together.' }),
  rates: Type.Array(
    Type.Object({
      transport: Type.Enum(['udp', 'tcp']),
      requestedKbps: orNull(Type.Number()),
      medianKbps: Type.Number({ description: 'On the wire.' }),
    }),
  ),
});

/** Measurements of a link under one condition, from all checks within tolerance. */
export const MeasuredLink = Type.Object({
  words: Type.String({ description: 'Summary in one line.' }),
  checks: Type.Integer({ description: 'Checks within tolerance, which the numbers are based on.' }),
  faulty: Type.Integer({ description: 'Checks that found the link out of tolerance.' }),
  backends: Type.Array(LinkBackend),
  kernels: Type.Array(Type.String()),
  rtt: orNull(
    Type.Object({ requestedMs: Type.Number(), medianMs: Type.Number() }),
    'Median over the checks of their median round trips; null if every check found a fault.',
  ),
  up: orNull(MeasuredLinkDirection, 'Null if no check measured loss and rate.'),
  down: orNull(MeasuredLinkDirection),
});
export type MeasuredLink = Static<typeof MeasuredLink>;

export const ConditionResults = Type.Object({
  condition: Type.String({ description: 'Name of the condition.' }),
  words: Type.String({ description: 'Its effect, in one line.' }),
  link: orNull(MeasuredLink, 'Null if the link was never checked.'),
});
export type ConditionResults = Static<typeof ConditionResults>;

export const CampaignResults = Type.Object({
  campaignId: Type.String(),
  primaryMetric: MetricName,
  conditions: Type.Array(ConditionResults, { description: 'In the order of the campaign.' }),
  cells: Type.Array(CellResults),
});
export type CampaignResults = Static<typeof CampaignResults>;

/** A page of cells if `limit` or `cursor` is given, otherwise all. Numbers are those of the whole campaign in either case. */
export const CampaignResultsPage = Type.Object({
  ...CampaignResults.properties,
  nextCursor: Type.Optional(orNull(Type.String(), 'Cursor of the next page; null on the last page. Absent if all cells were requested.')),
});
export type CampaignResultsPage = Static<typeof CampaignResultsPage>;

/** A comparison in a list, with its cell. */
export const ListedComparison = Type.Object({ siteId: Type.String(), condition: Type.String(), view: View, ...Comparison.properties });
export type ListedComparison = Static<typeof ListedComparison>;
