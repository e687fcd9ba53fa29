// Which campaigns a list has, and how one is made of another.
import Type, { type Static } from 'typebox';
import { verdictOutcomes } from '../vocabulary/verdict.ts';
import { Campaign, CampaignRequest, CampaignState, Priority } from './campaign.ts';
import { orNull, TimeOrNull } from './fields.ts';
import { pageQuery, timeQuery } from './page.ts';

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));

export const CampaignQuery = Type.Object(
  {
    ...pageQuery,
    ...timeQuery,
    state: Type.Optional(CampaignState),
    siteId: text('With this site.'),
    url: text('With a site whose URL has this somewhere, in any case.'),
    search: text('Whose name, or the URL of a site, has this somewhere, in any case.'),
    branch: text('Of its annotations.'),
    commit: text('Of its annotations, whole.'),
    priority: Type.Optional(Priority),
    createdBy: text('Name of the token, or of the schedule.'),
    mine: Type.Optional(
      Type.Boolean({ description: 'true: those that the token which asks made; where access is open, those that nobody signed for.' }),
    ),
  },
  { additionalProperties: false },
);
export type CampaignQuery = Static<typeof CampaignQuery>;

/** How many sites, conditions and views have which answer to a campaign's question. */
export const VerdictCount = Type.Object({
  outcome: Type.Enum([...verdictOutcomes]),
  unfinished: Type.Boolean({ description: 'Inconclusive since rounds are still to come, or were called off.' }),
  notLoaded: orNull(
    Type.String(),
    'Of those that no visit loaded, why, to go on after their name; they are told apart from the others, and have no other answer.',
  ),
  count: Type.Integer({ minimum: 1, description: 'Of sites, conditions and views.' }),
});
export type VerdictCount = Static<typeof VerdictCount>;

/** A campaign as lists have it. */
export const ListedCampaign = Type.Object({
  ...Campaign.properties,
  verdicts: orNull(
    Type.Array(VerdictCount),
    'Of the summary that is kept; empty where it asks no question. Null: none is kept that still stands; GET /campaigns/{id}/summary computes one.',
  ),
});
export type ListedCampaign = Static<typeof ListedCampaign>;

/** What is to be another than in the campaign that is cloned; all else is as it was, the seed too. */
export const CloneRequest = Type.Partial(CampaignRequest, {
  additionalProperties: false,
  description: 'What is to be another; all else is as it was, the seed too. Annotations are of the clone alone.',
});
export type CloneRequest = Static<typeof CloneRequest>;

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
