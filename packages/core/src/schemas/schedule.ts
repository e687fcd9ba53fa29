// A cron expression and the campaign that it starts.
import Type, { type Static } from 'typebox';
import { CampaignRequest } from './campaign.ts';
import { NameBesideId, orNull, Time, TimeOrNull } from './fields.ts';
import { MetricName } from './metrics.ts';
import { Protocol, View } from './vocabulary.ts';

export const missedPolicies = ['run-once', 'skip'] as const;

const scheduleProperties = {
  name: NameBesideId({ maxLength: 100, description: 'Of no other schedule.' }),
  cron: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Minute, hour, day of month, month, day of week: 30 2 * * *; or @daily, @weekly, @hourly, @monthly.',
  }),
  timeZone: Type.String({ minLength: 1, maxLength: 100, description: 'IANA name, such as Europe/Berlin; default UTC.' }),
  campaign: Type.Object(CampaignRequest.properties, {
    additionalProperties: false,
    description: 'What is started, as POST /campaigns takes it; whatever it says, its priority is schedule.',
  }),
  paused: Type.Boolean({ description: 'Nothing is due while it is. Default false.' }),
  missed: Type.Enum([...missedPolicies], {
    description:
      'When the service did not run at the time. run-once (default): the last missed start is made up for, once; skip: wait for the next.',
  }),
  jitterSeconds: Type.Integer({
    minimum: 0,
    maximum: 86_400,
    description: 'Starts so much later at most, each time by another amount; default 0.',
  }),
  gate: orNull(Type.String({ minLength: 1, maxLength: 200 }), 'Gate that is checked when the campaign is done; default none.'),
  notifications: orNull(
    Type.Array(Type.String(), { maxItems: 100, uniqueItems: true }),
    'Ids of the targets that are told of it; null (default): all that chose the event.',
  ),
  baselineRuns: Type.Integer({
    minimum: 5,
    maximum: 60,
    description:
      'With how many earlier campaigns a new one is compared; default 28. Regressions are seen from the fifth on; from 20 on nights may resemble their neighbours.',
  }),
  regressionThreshold: Type.Number({
    minimum: 0.01,
    maximum: 10,
    description: 'Share by which a metric must be worse to be called a regression; default 0.1.',
  }),
};
const { name, cron, campaign, ...choices } = scheduleProperties;

export const ScheduleRequest = Type.Object(
  { name, cron, campaign, ...Type.Partial(Type.Object(choices)).properties },
  { additionalProperties: false, description: 'Only name, cron and campaign are needed.' },
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

/** Asks when an expression that is not stored yet would be due. */
export const ScheduleTimesQuery = Type.Object({ cron, timeZone: Type.Optional(choices.timeZone) }, { additionalProperties: false });
export type ScheduleTimesQuery = Static<typeof ScheduleTimesQuery>;

export const ScheduleTimes = Type.Object({
  times: Type.Array(Time(), { description: 'The next five that are due, ISO 8601, without jitter; none where there are problems.' }),
  problems: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
    description: 'Why a schedule of it would be refused, as that names the places: #/cron, #/timeZone.',
  }),
});
export type ScheduleTimes = Static<typeof ScheduleTimes>;

export const startOutcomes = ['started', 'missed', 'overlapping', 'failed'] as const;
export type StartOutcome = (typeof startOutcomes)[number];

export const ScheduleStart = Type.Object({
  id: Type.String(),
  dueAt: TimeOrNull('ISO 8601: the time of the cron expression. Null: started by hand.'),
  decidedAt: Time('ISO 8601: when it was started, or it was decided that it is not.'),
  outcome: Type.Enum([...startOutcomes], {
    description:
      'missed: the service did not run; overlapping: the campaign before was not finished; failed: the campaign cannot be run any more.',
  }),
  campaignId: orNull(Type.String(), 'Null: none was started, or it is deleted.'),
  words: Type.String({ description: 'What happened, in a sentence.' }),
});
export type ScheduleStart = Static<typeof ScheduleStart>;

export const Schedule = Type.Object({
  id: Type.String(),
  ...scheduleProperties,
  createdAt: Time(),
  createdBy: orNull(Type.String(), 'Name of the token. Null: this machine’s own command.'),
  nextRuns: Type.Array(Time(), { description: 'The next five starts, jitter included, ISO 8601; none while it is paused.' }),
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
  medians: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'Of the campaign before and of this one.' }),
  baseline: Type.Number({ description: 'Geometric mean of the medians of the campaigns before these two.' }),
  baselineRuns: Type.Integer(),
  change: Type.Number({ description: 'How much the better of the two is above the baseline, as a share of it.' }),
  spread: Type.Number({ description: 'By about which share these medians differ anyway: standard deviation of their logarithms.' }),
  p: Type.Number({ description: 'Corrected for everything that was compared.' }),
  words: Type.String(),
});
export type Regression = Static<typeof Regression>;

export const CampaignRegressions = Type.Object({
  campaignId: Type.String(),
  scheduleId: orNull(Type.String()),
  state: Type.Enum(['not-scheduled', 'waiting', 'unmeasured', 'too-few-runs', 'compared'], {
    description:
      'waiting: the campaign is not done, or was not looked at yet; unmeasured: a page of it was down, blocked or hardly ever valid, whatever could be compared; too-few-runs: there are fewer than five done campaigns of the schedule before the last two.',
  }),
  words: Type.String({ description: 'What was compared, and what came of it.' }),
  comparedWith: Type.Array(Type.String(), { description: 'Ids of the campaigns, oldest first.' }),
  regressions: Type.Array(Regression),
  unmeasured: Type.Array(Type.String(), { description: 'Names of the sites that were not measured, or not over each protocol.' }),
});
export type CampaignRegressions = Static<typeof CampaignRegressions>;
