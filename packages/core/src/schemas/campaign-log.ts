// The log of a campaign, for people to follow (GET /campaigns/:id/log), and its event stream.
import Type, { type Static } from 'typebox';
import { Campaign } from './campaign.ts';
import { Time } from './fields.ts';
import { Visit } from './visit.ts';

/** What a line tells of; these names stay, the words beside them may change. */
export const campaignLogEvents = {
  'campaign-made': 'its rounds were queued',
  'campaign-cancelled': 'its queued rounds were taken out of the queue',
  'campaign-resumed': 'they were put back',
  'campaign-done': 'no round is left',
  'rounds-added': 'a campaign that goes on until it is settled got more rounds',
  'round-leased': 'a runner took a round',
  'round-released': 'a runner gave a round back unfinished',
  'lease-lost': 'a runner was not heard of in time, or started anew',
  'round-given-up': 'a round was lost too often',
  'site-given-up': 'the first rounds of a site showed that it cannot be measured',
  'link-check-faulty': 'a link did not do what the condition says',
} as const;
export type CampaignLogEvent = keyof typeof campaignLogEvents;

export const logLevels = ['info', 'warn'] as const;
export type LogLevel = (typeof logLevels)[number];

/** So many lines of a campaign are kept, the newest. */
export const longestCampaignLog = 5_000;

export const CampaignLogLine = Type.Object({
  id: Type.String({ description: 'Its number in the campaign’s log, from 1.' }),
  time: Time(),
  level: Type.Enum([...logLevels], { description: 'warn: something that the campaign gets over, and its owner may want to mend.' }),
  event: Type.Enum(Object.keys(campaignLogEvents) as CampaignLogEvent[], { description: 'Stable name of what happened.' }),
  text: Type.String({ description: 'The same in words, with names and numbers.' }),
});
export type CampaignLogLine = Static<typeof CampaignLogLine>;

/**
 * The `data` of each kind of event. An event's id is its number among the campaign's visits and log lines; Last-Event-ID resumes after it.
 */
export const campaignEvents = {
  progress: Type.Pick(Campaign, ['state', 'progress']),
  visit: Visit,
  log: CampaignLogLine,
};
export type CampaignEvents = { [Kind in keyof typeof campaignEvents]: Static<(typeof campaignEvents)[Kind]> };
