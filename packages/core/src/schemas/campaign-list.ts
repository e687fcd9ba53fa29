// Which campaigns a list has, and how one is made of another.
import Type, { type Static } from 'typebox';
import { Campaign, CampaignRequest, CampaignState, Priority } from './campaign.ts';
import { verdictOutcomes } from './comparison.ts';
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
  notLoaded: Type.Union([Type.String(), Type.Null()], {
    description:
      'Of those that no visit loaded, why, to go on after their name; they are told apart from the others, and have no other answer.',
  }),
  count: Type.Integer({ minimum: 1, description: 'Of sites, conditions and views.' }),
});
export type VerdictCount = Static<typeof VerdictCount>;

/** A campaign as lists have it. */
export const ListedCampaign = Type.Object({
  ...Campaign.properties,
  verdicts: Type.Union([Type.Array(VerdictCount), Type.Null()], {
    description:
      'Of the summary that is kept; empty where it asks no question. Null: none is kept that still stands; GET /campaigns/{id}/summary computes one.',
  }),
});
export type ListedCampaign = Static<typeof ListedCampaign>;

/** What is to be another than in the campaign that is cloned; all else is as it was, the seed too. */
export const CloneRequest = Type.Partial(CampaignRequest, {
  additionalProperties: false,
  description: 'What is to be another; all else is as it was, the seed too. Annotations are of the clone alone.',
});
export type CloneRequest = Static<typeof CloneRequest>;
