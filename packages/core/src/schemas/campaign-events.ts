// What a campaign's event stream says (server-sent events, GET /campaigns/:id/events).
import Type, { type Static } from 'typebox';
import { Campaign } from './campaign.ts';
import { CampaignLogLine } from './campaign-log.ts';
import { Visit } from './visit.ts';

/**
 * The `data` of each kind of event. An event's id, VISITS.LINES, says how far the stream is in the campaign's visits and in its log;
 * Last-Event-ID resumes after both.
 */
export const campaignEvents = {
  progress: Type.Pick(Campaign, ['state', 'progress']),
  visit: Visit,
  log: CampaignLogLine,
};
export type CampaignEvents = { [Kind in keyof typeof campaignEvents]: Static<(typeof campaignEvents)[Kind]> };
