// What a campaign's event stream says (server-sent events, GET /campaigns/:id/events).
import Type, { type Static } from 'typebox';
import { Campaign } from './campaign.ts';
import { Visit } from './visit.ts';

/** The `data` of each kind of event. Event ids grow; Last-Event-ID resumes after the visit that it names. */
export const campaignEvents = {
  progress: Type.Pick(Campaign, ['state', 'progress']),
  visit: Visit,
};
export type CampaignEvents = { [Kind in keyof typeof campaignEvents]: Static<(typeof campaignEvents)[Kind]> };
