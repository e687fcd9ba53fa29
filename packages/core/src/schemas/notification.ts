// Who is told by webhook of what happened, and what became of each message.
import Type, { type Static } from 'typebox';
import { notificationEvents, usualEvents } from '../vocabulary/event.ts';
import { OneLine, orNull, Time, TimeOrNull } from './fields.ts';
import { GateCheck, GateResult } from './gate-answer.ts';
import { InvalidReason, Protocol } from './vocabulary.ts';

export const NotificationEvent = Type.Enum([...notificationEvents], {
  description:
    'site-unmeasured: a page was down, blocked or hardly ever valid in a campaign; schedule-failed: a schedule could not start its campaign, or a start was missed.',
});
export type NotificationEvent = (typeof notificationEvents)[number];

const targetProperties = {
  name: OneLine({ maxLength: 100, description: 'Of no other target.' }),
  kind: Type.Enum(['webhook', 'slack'], { description: 'webhook: signed JSON; slack: what Slack’s incoming webhooks take.' }),
  events: Type.Array(NotificationEvent, { minItems: 1, uniqueItems: true }),
  campaigns: Type.Enum(['all', 'scheduled'], { description: 'Of which campaigns it is told: all (default), or those of schedules.' }),
  enabled: Type.Boolean({ description: 'Default true. Nothing is sent to it while it is not.' }),
};
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where messages are posted: https, or http. Never shown again, since whoever knows it can often write there.',
});
const { events, campaigns, enabled, ...needed } = targetProperties;
const choices = {
  events: Type.Optional(
    Type.Array(NotificationEvent, { minItems: 1, uniqueItems: true, description: `Default: ${usualEvents.join(', ')}.` }),
  ),
  campaigns: Type.Optional(campaigns),
  enabled: Type.Optional(enabled),
};

export const NotificationRequest = Type.Object({ ...needed, url, ...choices }, { additionalProperties: false });
export type NotificationRequest = Static<typeof NotificationRequest>;

export const NotificationChange = Type.Object(
  { ...needed, url: Type.Optional(url), ...choices },
  { additionalProperties: false, description: 'Without a URL, it stays what it is.' },
);
export type NotificationChange = Static<typeof NotificationChange>;

export const NotificationTarget = Type.Object({
  id: Type.String(),
  ...targetProperties,
  origin: Type.String({ description: 'Scheme, host and port of its URL.' }),
  createdAt: Time(),
  waiting: Type.Integer({ description: 'Messages that are to be delivered yet.' }),
  givenUp: Type.Integer({ description: 'Messages that could not be delivered.' }),
});
export type NotificationTarget = Static<typeof NotificationTarget>;

export const SavedNotificationTarget = Type.Object({
  ...NotificationTarget.properties,
  secret: orNull(
    Type.String(),
    'Key of the signatures of a target that became a webhook; shown this once. Null of one that was one, and of Slack, which checks none.',
  ),
});
export type SavedNotificationTarget = Static<typeof SavedNotificationTarget>;

export const deliveryStates = ['waiting', 'delivered', 'given-up'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export const Delivery = Type.Object({
  id: Type.String({ description: 'The same in every try: the receiver tells a message that came twice by it.' }),
  event: Type.Enum([...notificationEvents, 'test']),
  createdAt: Time('ISO 8601: when it happened.'),
  state: Type.Enum([...deliveryStates]),
  attempts: Type.Integer({ description: 'Tries so far.' }),
  nextAttemptAt: TimeOrNull('ISO 8601; null: none.'),
  deliveredAt: TimeOrNull('ISO 8601; null: it is not.'),
  lastError: orNull(Type.String(), 'Why the last try failed.'),
});
export type Delivery = Static<typeof Delivery>;

/** What a webhook gets. */
export const NotificationMessage = Type.Object({
  id: Type.String({ description: 'Of the delivery.' }),
  event: Type.Enum([...notificationEvents, 'test']),
  createdAt: Time('ISO 8601: when it happened.'),
  title: Type.String({ description: 'The answer in a line.' }),
  lines: Type.Array(Type.String(), { description: 'The numbers behind it, in sentences.' }),
  url: orNull(Type.String(), 'Of the campaign’s page; null: the service was not told its own address.'),
  campaignId: orNull(Type.String()),
  scheduleId: orNull(Type.String()),
  details: Type.Unknown({ description: 'By event: the regressions, why the gate failed (GateFailure); null where there is no more.' }),
});
export type NotificationMessage = Static<typeof NotificationMessage>;

/** Of so many failed checks a message tells; the rest is counted. */
export const mostFailedChecks = 20;

/** `details` of gate-failed. A message stays small, however large the gate is. */
export const GateFailure = Type.Object({
  outcome: Type.Literal('fail'),
  words: Type.String({ description: 'In a sentence.' }),
  counts: GateResult.properties.counts,
  failed: Type.Array(
    Type.Object({
      site: Type.String({ description: 'Its name.' }),
      ...Type.Pick(GateCheck, ['condition', 'view', 'protocol', 'metric', 'value', 'max', 'min', 'words']).properties,
    }),
    { maxItems: mostFailedChecks, description: 'The first checks that failed; words are cut after 500 characters.' },
  ),
  more: Type.Integer({ description: 'How many failed beside them.' }),
  answerUrl: Type.String({ description: 'Where the whole answer is read; the path alone where the service was not told its own address.' }),
});
export type GateFailure = Static<typeof GateFailure>;

/** Of so many sites that were not measured a message tells; the rest is counted. */
export const mostUnmeasuredSites = 20;

/** `details` of site-unmeasured. */
export const UnmeasuredSites = Type.Object({
  sites: Type.Array(
    Type.Object({
      siteId: Type.String(),
      site: Type.String({ description: 'Its name.' }),
      url: Type.String(),
      protocols: Type.Array(Protocol, { description: 'Over which it was not measured.' }),
      conditions: Type.Array(Type.String(), { description: 'Under which.' }),
      lost: Type.Integer({ description: 'Visits that it kept from being valid there.' }),
      visits: Type.Integer({ description: 'Of so many.' }),
      reasons: Type.Array(
        Type.Object({
          reason: InvalidReason,
          count: Type.Integer({ description: 'Visits.' }),
          detail: Type.String({ description: 'Of one of them; empty: none is known.' }),
        }),
        { description: 'Most first.' },
      ),
      lastValid: orNull(
        Type.Object({ at: Type.String({ description: 'ISO 8601.' }), campaignId: Type.String() }),
        'Its last valid visit there, in the latest 100 campaigns that measured it. Null: there is none.',
      ),
      words: Type.String(),
    }),
    { maxItems: mostUnmeasuredSites, description: 'In the order of the campaign.' },
  ),
  more: Type.Integer({ description: 'How many sites beside them were not measured.' }),
});
export type UnmeasuredSites = Static<typeof UnmeasuredSites>;
