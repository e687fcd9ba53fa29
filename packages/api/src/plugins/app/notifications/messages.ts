// What a message is made of, and how each kind of target wants to read it.
import { caveatLines, reportOf } from '@pronghorn/core/answer';
import {
  type Campaign,
  type CampaignSummary,
  maxUnmeasuredSites,
  type NotificationMessage,
  type UnmeasuredSites,
} from '@pronghorn/core/schemas';
import { counted, firstSteps, listed } from '@pronghorn/core/text';
import { lostVisitsWords } from '@pronghorn/core/verdict';
import { type InvalidReason, metricTitle } from '@pronghorn/core/vocabulary';
import type { Claimed } from '../../../tables/notifications-repository.ts';
import type { UnmeasuredSite } from '../visits/unmeasured-sites.ts';
import type { MessageContent } from './notifications.ts';

/** A channel is no place for more; the campaign's page has the rest. */
const maxLines = 20;

/** The answer of a campaign: its verdicts on the question fixed before it, or the medians where it compares nothing. */
export function campaignContent(campaign: Pick<Campaign, 'spec' | 'sites'>, summary: CampaignSummary): MessageContent {
  const { sites, spec } = campaign;
  const { primaryMetric, cells } = summary;
  const outcomes = new Map<string, number>();
  const lines: string[] = [];
  for (const { siteId, condition, view, comparison, medians } of cells) {
    if (comparison) outcomes.set(comparison.outcome, (outcomes.get(comparison.outcome) ?? 0) + 1);
    if (lines.length === maxLines) continue;
    const place = `${sites.find(({ id }) => id === siteId)?.name ?? siteId}, ${condition}${view === 'warm' ? ', warm' : ''}`;
    const numbers = Object.entries(medians).map(
      ([protocol, median]) => `${protocol} ${median === null ? 'failed in half of its loads' : Math.round(median * 100) / 100}`,
    );
    lines.push(`${place}: ${comparison?.words ?? `median ${metricTitle(primaryMetric)}: ${numbers.join(', ') || 'none'}.`}`);
  }
  if (cells.length > maxLines) lines.push(`… and ${cells.length - maxLines} more.`);
  for (const { isWarning, words } of caveatLines(summary.caveats, campaign)) if (isWarning) lines.push(`Warning: ${words}`);
  const title = outcomes.size === 0 ? `${spec.name} is done` : `${spec.name} is done: ${reportOf(campaign, summary).answer}`;
  return { title, lines, details: outcomes.size === 0 ? null : Object.fromEntries(outcomes) };
}

/** @param path from `/` on. @returns where it is found from outside; the path alone where the service was not told its own address. */
export const addressOf = (publicUrl: string | null, path: string): string => `${publicUrl?.replace(/\/+$/, '') ?? ''}${path}`;

/**
 * What is posted, as text: signed and sent byte for byte.
 * @param publicUrl of the dashboard; null: messages have no link.
 */
export function bodyOf(
  kind: 'webhook' | 'slack',
  { id, event, createdAt, campaignId, scheduleId }: Claimed,
  content: MessageContent,
  publicUrl: string | null,
): string {
  const { title, lines, details } = content;
  const url = publicUrl === null || campaignId === null ? null : addressOf(publicUrl, `/#/campaigns/${campaignId}`);
  if (kind === 'slack') return JSON.stringify(slackBody(title, lines, url));
  const idOf = (row: number | null) => (row === null ? null : String(row));
  const message: NotificationMessage = {
    id,
    event,
    createdAt,
    title,
    lines: [...lines],
    url,
    campaignId: idOf(campaignId),
    scheduleId: idOf(scheduleId),
    details,
  };
  return JSON.stringify(message);
}

/** Slack's limits: 150 characters in a header, 3,000 in a section, 50 blocks. */
function slackBody(title: string, lines: readonly string[], url: string | null) {
  const link = url === null ? [] : [`<${url}|Open the campaign>`];
  const sections: string[] = [];
  for (const line of lines) {
    const text = `• ${escaped(line).slice(0, 2_900)}`;
    const last = sections.at(-1);
    if (last !== undefined && last.length + text.length < 2_900) sections[sections.length - 1] = `${last}\n${text}`;
    else if (sections.length < 40) sections.push(text);
  }
  return {
    text: [escaped(title), ...link, ...lines.map(escaped)].join('\n').slice(0, 3_000), // what a phone shows in its notification
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: title.length <= 150 ? title : `${title.slice(0, 149).toWellFormed()}…` } },
      ...[...sections, ...link].map((text) => ({ type: 'section', text: { type: 'mrkdwn', text } })),
    ],
  };
}

/** Slack takes these three for markup, in whatever place: a site's name must not ping a channel. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type UnmeasuredCircumstances = {
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>;
  lastValid(unmeasured: UnmeasuredSite): UnmeasuredSites['sites'][number]['lastValid'];
};

/** Of one site at least. */
export function unmeasuredContent(found: readonly UnmeasuredSite[], { campaign, lastValid }: UnmeasuredCircumstances): MessageContent {
  const sites = found.slice(0, maxUnmeasuredSites).map((one): UnmeasuredSites['sites'][number] => {
    const { site, protocols, conditions, lost, expected, reasons } = one;
    const last = lastValid(one);
    const words = [whereWords(one, campaign), sinceWords(last, campaign.id), adviceWords(reasons[0]?.reason)].join(' ');
    return {
      ...{ siteId: site.id, site: site.name, url: site.url, protocols, conditions, lost, visits: expected },
      reasons: reasons.map((reason) => ({ ...reason, detail: cut(reason.detail) })),
      ...{ lastValid: last, words },
    };
  });
  const more = found.length - sites.length;
  const [first] = found;
  const which =
    found.length === 1 ? `${cut(first?.site.name ?? '')} was` : `${found.length} of ${counted(campaign.sites.length, 'site')} were`;
  return {
    title: `${campaign.spec.name}: ${which} not measured`,
    lines: [...sites.map(({ words }) => words), ...(more > 0 ? [`… and ${more} more.`] : [])],
    details: { sites, more } satisfies UnmeasuredSites,
  };
}

/** What a site answered instead, and what to do. */
export const unmeasuredWords = (one: UnmeasuredSite, campaign: Pick<Campaign, 'spec'>): string =>
  [lostWords(one, campaign), adviceWords(one.reasons[0]?.reason)].join(' ');

/** shop (https://shop.example/), under 4g: 6 of 6 visits over HTTP/3 are not valid: … */
function whereWords(one: UnmeasuredSite, campaign: Pick<Campaign, 'spec'>): string {
  const { site, conditions } = one;
  const under = conditions.length === campaign.spec.conditions.length ? '' : `, under ${listed(conditions)}`;
  const named = site.name === site.url ? '' : ` (${site.url})`;
  return `${cut(`${site.name}${named}`)}${under}: ${lostWords(one, campaign)}`;
}

/** 6 of 6 visits over HTTP/3 are not valid: … */
function lostWords({ protocols, ...lost }: UnmeasuredSite, { spec }: Pick<Campaign, 'spec'>): string {
  const isAll = protocols.length === new Set(spec.protocols).size;
  return cut(lostVisitsWords(lost, isAll ? [] : protocols));
}

function sinceWords(last: UnmeasuredSites['sites'][number]['lastValid'], campaignId: string): string {
  if (last === null) return 'No earlier visit of it there was valid.';
  const at = `${last.at.slice(0, 10)} ${last.at.slice(11, 16)} UTC`;
  return `Its last valid visit was on ${at}, in ${last.campaignId === campaignId ? 'this campaign' : `campaign ${last.campaignId}`}.`;
}

/** By what most of its visits ended as. */
const adviceWords = (reason: InvalidReason | undefined): string =>
  `${reason === undefined ? '' : `${firstSteps[reason]} `}Until then no gate and no comparison says how it loads.`;

/** Names of sites, and reasons, are as long as their authors want. */
const maxWords = 500;
export const cut = (text: string): string => (text.length <= maxWords ? text : `${text.slice(0, maxWords - 1).toWellFormed()}…`);
