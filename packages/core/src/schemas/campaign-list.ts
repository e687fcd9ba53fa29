// Which campaigns a list has, and how one is made of another.
import Type, { type Static } from 'typebox';
import { CampaignRequest, CampaignState, Priority } from './campaign.ts';
import { pageQuery, timeQuery } from './page.ts';

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description }));

export const CampaignQuery = Type.Object(
  {
    ...pageQuery,
    ...timeQuery,
    state: Type.Optional(CampaignState),
    siteId: text('With this site.'),
    url: text('With a site whose URL has this somewhere, in any case.'),
    search: text('Whose name has this somewhere, in any case.'),
    branch: text('Of its annotations.'),
    commit: text('Of its annotations, whole.'),
    priority: Type.Optional(Priority),
    createdBy: text('Name of the token, or of the schedule.'),
  },
  { additionalProperties: false },
);
export type CampaignQuery = Static<typeof CampaignQuery>;

/** What is to be another than in the campaign that is cloned; all else is as it was, the seed too. */
export const CloneRequest = Type.Partial(CampaignRequest, {
  additionalProperties: false,
  description: 'What is to be another; all else is as it was, the seed too. Annotations are of the clone alone.',
});
export type CloneRequest = Static<typeof CloneRequest>;
