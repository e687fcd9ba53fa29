// Webhooks: their targets, events and messages.
import Type, { type Static } from 'typebox';
import { notificationEvents, usualEvents } from '../vocabulary/choices.ts';
import { OneLine, orNull, Time, TimeOrNull } from './fields.ts';
import { GateCheck, GateResult } from './gate-answer.ts';
import { InvalidReason, Protocol } from './vocabulary.ts';

export const NotificationEvent = Type.Enum([...notificationEvents], {
  description:
    'site-unmeasured: a page was down, blocked or hardly ever valid in a campaign; schedule-failed: a schedule could not start its campaign, or a start was missed.',
});
export type NotificationEvent = (typeof notificationEvents)[number];

const targetProperties = {
  name: OneLine({ maxLength: 100, description: 'Unique among targets.' }),
  kind: Type.Enum(['webhook', 'slack'], { description: 'webhook: signed JSON; slack: the format of Slack’s incoming webhooks.' }),
  events: Type.Array(NotificationEvent, { minItems: 1, maxItems: notificationEvents.length, uniqueItems: true }),
  campaigns: Type.Enum(['all', 'scheduled'], { description: 'Campaigns that it is notified about: all (default), or those of schedules.' }),
  enabled: Type.Boolean({ description: 'Default true. If false, nothing is sent to it.' }),
};
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Address that messages are posted to: https, or http. Never shown again, because anyone who knows it can often post there.',
});
const { events, campaigns, enabled, ...needed } = targetProperties;
const choices = {
  events: Type.Optional(
    Type.Array(NotificationEvent, {
      minItems: 1,
      maxItems: notificationEvents.length,
      uniqueItems: true,
      description: `Default: ${usualEvents.join(', ')}.`,
    }),
  ),
  campaigns: Type.Optional(campaigns),
  enabled: Type.Optional(enabled),
};

export const NotificationRequest = Type.Object({ ...needed, url, ...choices }, { additionalProperties: false });
export type NotificationRequest = Static<typeof NotificationRequest>;

export const NotificationChange = Type.Object(
  { ...needed, url: Type.Optional(url), ...choices },
  { additionalProperties: false, description: 'If url is left out, it does not change.' },
);
export type NotificationChange = Static<typeof NotificationChange>;

export const NotificationTarget = Type.Object({
  id: Type.String(),
  ...targetProperties,
  origin: Type.String({ description: 'Scheme, host and port of its URL.' }),
  createdAt: Time(),
  waiting: Type.Integer({ description: 'Messages still to be delivered.' }),
  givenUp: Type.Integer({ description: 'Messages that could not be delivered.' }),
});
export type NotificationTarget = Static<typeof NotificationTarget>;

export const SavedNotificationTarget = Type.Object({
  ...NotificationTarget.properties,
  secret: orNull(
    Type.String(),
    'Key of the signatures, when a target becomes a webhook; shown only once. Null for a target that already was one, and for Slack, which checks no signatures.',
  ),
});
export type SavedNotificationTarget = Static<typeof SavedNotificationTarget>;

const deliveryStates = ['waiting', 'delivered', 'given-up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const Delivery = Type.Object({
  id: Type.String({ description: 'The same in every attempt, so the receiver can recognise duplicates.' }),
  event: Type.Enum([...notificationEvents, 'test']),
  createdAt: Time('ISO 8601: when the event happened.'),
  state: Type.Enum([...deliveryStates]),
  attempts: Type.Integer({ description: 'Attempts so far.' }),
  nextAttemptAt: TimeOrNull('ISO 8601; null: none is planned.'),
  deliveredAt: TimeOrNull('ISO 8601; null: not delivered.'),
  lastError: orNull(Type.String(), 'Why the last attempt failed.'),
});
export type Delivery = Static<typeof Delivery>;

/** The message that a webhook receives. */
export const NotificationMessage = Type.Object({
  id: Type.String({ description: 'Id of the delivery.' }),
  event: Type.Enum([...notificationEvents, 'test']),
  createdAt: Time('ISO 8601: when the event happened.'),
  title: Type.String({ description: 'Summary in one line.' }),
  lines: Type.Array(Type.String(), { description: 'The numbers behind it, in sentences.' }),
  url: orNull(Type.String(), 'URL of the campaign’s page; null: the service does not know its own URL.'),
  campaignId: orNull(Type.String()),
  scheduleId: orNull(Type.String()),
  details: Type.Unknown({
    description:
      'Depends on the event: the regressions, the gate’s failure (GateFailure), the unmeasured sites (UnmeasuredSites); otherwise null.',
  }),
});
export type NotificationMessage = Static<typeof NotificationMessage>;

/** The failed checks that a message lists; the rest is counted. */
export const maxFailedChecks = 20;

/** `details` of gate-failed. A message stays small, however large the gate is. */
export const GateFailure = Type.Object({
  outcome: Type.Literal('fail'),
  words: Type.String({ description: 'Summary in a sentence.' }),
  counts: GateResult.properties.counts,
  failed: Type.Array(
    Type.Object({
      site: Type.String({ description: 'Its name.' }),
      ...Type.Pick(GateCheck, ['condition', 'view', 'protocol', 'metric', 'value', 'max', 'min', 'words']).properties,
    }),
    { maxItems: maxFailedChecks, description: 'The first failed checks; words are cut after 500 characters.' },
  ),
  more: Type.Integer({ description: 'Number of further failed checks.' }),
  answerUrl: Type.String({ description: 'URL of the whole answer; only a path if the service does not know its own URL.' }),
});
export type GateFailure = Static<typeof GateFailure>;

/** The unmeasured sites that a message lists; the rest is counted. */
export const maxUnmeasuredSites = 20;

/** `details` of site-unmeasured. */
export const UnmeasuredSites = Type.Object({
  sites: Type.Array(
    Type.Object({
      siteId: Type.String(),
      site: Type.String({ description: 'Its name.' }),
      url: Type.String(),
      protocols: Type.Array(Protocol, { description: 'Protocols over which it was not measured.' }),
      conditions: Type.Array(Type.String(), { description: 'Conditions under which it was not measured.' }),
      lost: Type.Integer({ description: 'Visits there that the page kept from being valid.' }),
      visits: Type.Integer({ description: 'All visits there.' }),
      reasons: Type.Array(
        Type.Object({
          reason: InvalidReason,
          count: Type.Integer({ description: 'Number of visits.' }),
          detail: Type.String({ description: 'Detail of one of them; empty: unknown.' }),
        }),
        { description: 'Most frequent first.' },
      ),
      lastValid: orNull(
        Type.Object({ at: Type.String({ description: 'ISO 8601.' }), campaignId: Type.String() }),
        'Its last valid visit there, in the latest 100 campaigns that measured it. Null: none.',
      ),
      words: Type.String(),
    }),
    { maxItems: maxUnmeasuredSites, description: 'In the order of the campaign.' },
  ),
  more: Type.Integer({ description: 'Number of further unmeasured sites.' }),
});
export type UnmeasuredSites = Static<typeof UnmeasuredSites>;
