// Where a campaign stands in the queue, and how full the queue is.
import Type, { type Static } from 'typebox';
import { Priority } from './campaign.ts';
import { TimeOrNull } from './time.ts';

const orNull = <T extends Type.TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description });

/** What a campaign waits for. An estimate: who submits something more urgent afterwards goes before it. */
export const CampaignQueue = Type.Object({
  roundsLeft: Type.Integer({ description: 'Its own rounds that are queued or leased.' }),
  position: Type.Integer({ description: 'Rounds of other campaigns that are lent before its next one; 0: the next is its own.' }),
  roundsAhead: Type.Integer({ description: 'Rounds of other campaigns that are lent before its last one.' }),
  roundMs: orNull(
    Type.Number(),
    'Median duration of this campaign’s latest rounds, or, before the first, of all latest rounds; null: none was performed.',
  ),
  runnersAble: Type.Integer({ description: 'Runners that are there and can do all of this campaign.' }),
  eta: TimeOrNull('ISO 8601; when its last round will be done. Null: that cannot be said, and `why` tells why.'),
  why: orNull(Type.String(), 'Why there is no eta, in words; null: there is one.'),
});
export type CampaignQueue = Static<typeof CampaignQueue>;

/** Rounds of one priority and location in the queue. */
export const QueueDepth = Type.Object({
  priority: Priority,
  location: orNull(Type.String(), 'Null: any.'),
  campaigns: Type.Integer({ description: 'That have queued rounds.' }),
  queued: Type.Integer({ description: 'Rounds that wait.' }),
  leased: Type.Integer({ description: 'Rounds that are performed.' }),
  oldestQueuedAt: TimeOrNull('ISO 8601; when the oldest campaign with queued rounds was submitted. Null: none is queued.'),
  longestWaitSince: TimeOrNull('ISO 8601; since when the campaign that waits longest was lent no round. Null: none is queued.'),
});
export type QueueDepth = Static<typeof QueueDepth>;
