// A cron expression and the campaign that it starts.
import Type, { type Static } from 'typebox';
import { missedPolicies } from '../vocabulary/choices.ts';
import { Since } from './alert.ts';
import { CampaignRequest } from './campaign.ts';
import { NameBesideId, orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

const scheduleProperties = {
  name: NameBesideId({ maxLength: 100, description: 'Unique among schedules.' }),
  cron: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Minute, hour, day of month, month, day of week: 30 2 * * *; or @daily, @weekly, @hourly, @monthly.',
  }),
  timeZone: Type.String({ minLength: 1, maxLength: 100, description: 'IANA name, such as Europe/Berlin; default UTC.' }),
  campaign: Type.Object(CampaignRequest.properties, {
    additionalProperties: false,
    description: 'The campaign to start, as in POST /campaigns; its priority is always schedule.',
  }),
  paused: Type.Boolean({ description: 'If true, nothing is due. Default false.' }),
  missed: Type.Enum([...missedPolicies], {
    description:
      'What to do if the service was not running at a due time. run-once (default): make up for the last missed start, once; skip: wait for the next.',
  }),
  jitterSeconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description: 'Maximum random delay of a start; default 0.',
  }),
  gate: orNull(Type.String({ minLength: 1, maxLength: 200 }), 'Gate to check when the campaign is done; default none.'),
  notifications: orNull(
    Type.Array(Type.String(), { maxItems: 100, uniqueItems: true }),
    'Ids of the targets to notify; null (default): all that chose the event.',
  ),
  baselineRuns: Type.Integer({
    minimum: 5,
    maximum: 60,
    description:
      'Number of earlier campaigns that a new one is compared with; default 28. Regressions can be found from the fifth on; from 20 on, successive nights may be correlated.',
  }),
  regressionThreshold: Type.Number({
    minimum: 0.01,
    maximum: 10,
    description: 'Share by which a metric must be worse to count as a regression; default 0.1.',
  }),
};
const { name, cron, campaign, ...choices } = scheduleProperties;

export const ScheduleRequest = Type.Object(
  { name, cron, campaign, ...Type.Partial(Type.Object(choices)).properties },
  { additionalProperties: false, description: 'Only name, cron and campaign are required.' },
);
export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const scheduleDefaults = {
  timeZone: 'UTC',
  paused: false,
  missed: 'run-once',
  jitterSeconds: 0,
  gate: null,
  notifications: null,
  baselineRuns: 28,
  regressionThreshold: 0.1,
} as const satisfies Omit<ScheduleRequest, 'name' | 'cron' | 'campaign'>;

/** Asks when an expression would be due, before it is stored. */
export const ScheduleTimesQuery = Type.Object({ cron, timeZone: Type.Optional(choices.timeZone) }, { additionalProperties: false });
export type ScheduleTimesQuery = Static<typeof ScheduleTimesQuery>;

export const ScheduleTimes = Type.Object({
  times: Type.Array(Time(), { description: 'The next five due times, ISO 8601, without jitter; empty if there are problems.' }),
  problems: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
    description: 'Why such a schedule would be rejected, with the pointers #/cron and #/timeZone.',
  }),
});
export type ScheduleTimes = Static<typeof ScheduleTimes>;

const startOutcomes = ['started', 'missed', 'overlapping', 'failed'] as const;
export type StartOutcome = (typeof startOutcomes)[number];

export const ScheduleStart = Type.Object({
  id: Type.String(),
  dueAt: TimeOrNull('ISO 8601: time of the cron expression. Null: started manually.'),
  decidedAt: Time('ISO 8601: when it was started, or when it was decided not to start it.'),
  outcome: Type.Enum([...startOutcomes], {
    description:
      'missed: the service was not running; overlapping: the previous campaign was not finished; failed: the campaign can no longer be run.',
  }),
  campaignId: orNull(Type.String(), 'Null: none was started, or it was deleted.'),
  words: Type.String({ description: 'What happened, in a sentence.' }),
});
export type ScheduleStart = Static<typeof ScheduleStart>;

export const Schedule = Type.Object({
  id: Type.String(),
  ...scheduleProperties,
  createdAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: a command on this machine.'),
  nextRuns: Type.Array(Time(), { description: 'The next five starts, jitter included, ISO 8601; empty while paused.' }),
  lastStart: orNull(ScheduleStart),
});
export type Schedule = Static<typeof Schedule>;

export const Regression = Type.Object({
  siteId: Type.String(),
  siteName: Type.String(),
  condition: Type.String(),
  view: View,
  protocol: Protocol,
  metric: MetricName,
  medians: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'Medians of the previous campaign and of this one.' }),
  baseline: Type.Number({ description: 'Geometric mean of the medians of the campaigns before these two.' }),
  baselineRuns: Type.Integer(),
  change: Type.Number({ description: 'How far the better of the two is above the baseline, as a share of it.' }),
  spread: Type.Number({ description: 'Usual variation of these medians, as a share: standard deviation of their logarithms.' }),
  p: Type.Number({ description: 'Corrected for all comparisons.' }),
  since: Since,
  before: Type.Number({
    description: 'Geometric mean of the compared medians before that campaign; of a second step, the level of the first.',
  }),
  level: Type.Number({ description: 'Median of the latest three that are worse from it on.' }),
  failing: Type.Boolean({ description: 'True: half of its loads fail or more, and `level` is the least that they would have taken.' }),
  evidence: Type.String({ description: 'What shows that it is no chance, in a sentence.' }),
  words: Type.String({ description: 'Where and by how much it got worse, since when, and the evidence.' }),
});
export type Regression = Static<typeof Regression>;

export const CampaignRegressions = Type.Object({
  campaignId: Type.String(),
  scheduleId: orNull(Type.String()),
  state: Type.Enum(['not-scheduled', 'waiting', 'unmeasured', 'too-few-runs', 'compared'], {
    description:
      'waiting: the campaign is not done, or not checked yet; unmeasured: one of its pages was down, blocked or hardly ever valid, whatever else was compared; too-few-runs: the schedule has fewer than five done campaigns before the last two.',
  }),
  words: Type.String({ description: 'What was compared, and the result.' }),
  comparedWith: Type.Array(Type.String(), { description: 'Ids of the campaigns, oldest first.' }),
  compared: Type.Array(Type.Object({ siteId: Type.String(), condition: Type.String() }), {
    description: 'Where each median of this campaign had enough earlier ones, measured in the same way.',
  }),
  regressions: Type.Array(Regression),
  unmeasured: Type.Array(Type.String(), { description: 'Names of the sites that were not measured, or not over every protocol.' }),
});
export type CampaignRegressions = Static<typeof CampaignRegressions>;
