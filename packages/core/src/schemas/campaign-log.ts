// The log of a campaign (GET /campaigns/:id/log), and its event stream.
import Type, { type Static } from 'typebox';
import { Campaign } from './campaign.ts';
import { Time } from './fields.ts';
import { Visit } from './visit.ts';

/** Kinds of log lines. These names are stable; the texts beside them may change. */
const campaignLogEvents = {
  'campaign-made': 'its rounds were queued',
  'campaign-cancelled': 'its queued rounds were removed from the queue',
  'campaign-resumed': 'these rounds were queued again',
  'campaign-done': 'no round is left',
  'rounds-added': 'a campaign that runs until settled got more rounds',
  'round-leased': 'a runner leased a round',
  'round-released': 'a runner returned an unfinished round',
  'lease-lost': 'a runner missed its heartbeats, or restarted',
  'round-given-up': 'a round was lost too often',
  'site-given-up': 'the first rounds of a site showed that it cannot be measured',
  'link-check-faulty': 'a link did not match its condition',
} as const;
export type CampaignLogEvent = keyof typeof campaignLogEvents;

export const logLevels = ['info', 'warn'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Lines kept for each campaign, the newest. */
export const maxCampaignLogLines = 5_000;

export const CampaignLogLine = Type.Object({
  id: Type.String({ description: 'Line number in the campaign’s log, from 1.' }),
  time: Time(),
  level: Type.Enum([...logLevels], { description: 'warn: the campaign continues, but its owner may want to fix the cause.' }),
  event: Type.Enum(Object.keys(campaignLogEvents) as CampaignLogEvent[], { description: 'Stable name of the event.' }),
  text: Type.String({ description: 'The event in words, with names and numbers.' }),
});
export type CampaignLogLine = Static<typeof CampaignLogLine>;

/**
 * The `data` of each kind of event. An event's id is its number among the campaign's visits and log lines; Last-Event-ID resumes after it.
 */
const campaignEvents = {
  progress: Type.Pick(Campaign, ['state', 'progress']),
  visit: Visit,
  log: CampaignLogLine,
};
export type CampaignEvents = { [Kind in keyof typeof campaignEvents]: Static<(typeof campaignEvents)[Kind]> };
