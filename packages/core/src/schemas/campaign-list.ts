// Lists of campaigns, the queue, and clones.
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
    siteId: text('Campaigns with this site.'),
    url: text('Campaigns with a site whose URL contains this text, in any case.'),
    search: text('Campaigns whose name, or the URL of a site, contains this text, in any case.'),
    branch: text('Branch annotation.'),
    commit: text('Commit annotation, in full.'),
    priority: Type.Optional(Priority),
    createdBy: text('Name of the token or schedule.'),
    mine: Type.Optional(
      Type.Boolean({
        description: 'true: only campaigns created by the calling token; if authentication is off, those without a creator.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CampaignQuery = Static<typeof CampaignQuery>;

/** How many cells have which answer to a campaign's question. */
export const VerdictCount = Type.Object({
  outcome: Type.Enum([...verdictOutcomes]),
  unfinished: Type.Boolean({ description: 'Inconclusive because rounds are pending or were cancelled.' }),
  notLoaded: orNull(
    Type.String(),
    'For cells that no visit loaded: the reason, as a phrase to follow their name. They are counted separately and have no other answer.',
  ),
  count: Type.Integer({ minimum: 1, description: 'Number of cells (site × condition × view).' }),
  size: orNull(
    Type.String(),
    'Of a winner: by how much it is ahead. Of one cell 240 ms (25 %), of several from the smallest to the largest 8.1 to 25 %. Null: there is no winner, or no number for it.',
  ),
});
export type VerdictCount = Static<typeof VerdictCount>;

/** A campaign in a list. */
export const ListedCampaign = Type.Object({
  ...Campaign.properties,
  verdicts: orNull(
    Type.Array(VerdictCount),
    'From the stored summary; empty if the campaign asks no question. Null: no current summary is stored; GET /campaigns/{id}/summary computes one.',
  ),
});
export type ListedCampaign = Static<typeof ListedCampaign>;

/** Changes to the cloned campaign. Everything else stays the same, including the seed. */
export const CloneRequest = Type.Partial(CampaignRequest, {
  additionalProperties: false,
  description: 'Fields to change. Everything else stays the same, including the seed. Annotations are not copied.',
});
export type CloneRequest = Static<typeof CloneRequest>;

/** What a campaign waits for. An estimate: more urgent campaigns submitted later go first. */
export const CampaignQueue = Type.Object({
  roundsLeft: Type.Integer({ description: 'Its rounds that are queued or leased.' }),
  position: Type.Integer({ description: 'Rounds of other campaigns that are leased before its next one; 0: its own round is next.' }),
  roundsAhead: Type.Integer({ description: 'Rounds of other campaigns that are leased before its last one.' }),
  roundMs: orNull(
    Type.Number(),
    'Median duration of this campaign’s latest rounds or, before its first, of all latest rounds; null: no round was performed yet.',
  ),
  runnersAble: Type.Integer({ description: 'Available runners that can perform all of this campaign.' }),
  eta: TimeOrNull('ISO 8601; when its last round is expected to end. Null: unknown; `why` gives the reason.'),
  why: orNull(Type.String(), 'Why there is no eta; null: there is one.'),
});
export type CampaignQueue = Static<typeof CampaignQueue>;

/** Rounds of one priority and location in the queue. */
export const QueueDepth = Type.Object({
  priority: Priority,
  location: orNull(Type.String(), 'Null: any.'),
  campaigns: Type.Integer({ description: 'Campaigns with queued rounds.' }),
  queued: Type.Integer({ description: 'Queued rounds.' }),
  leased: Type.Integer({ description: 'Leased rounds.' }),
  oldestQueuedAt: TimeOrNull('ISO 8601; when the oldest campaign with queued rounds was submitted. Null: nothing is queued.'),
  longestWaitSince: TimeOrNull('ISO 8601; since when the longest-waiting campaign has had no round leased. Null: nothing is queued.'),
});
export type QueueDepth = Static<typeof QueueDepth>;
