// What a message is made of, and how each kind of target wants to read it.
import type { CampaignSummary, NotificationMessage, Site } from '@pronghorn/core/schemas';
import { metricTitle } from '@pronghorn/core/vocabulary';
import type { Claimed } from './deliveries-repository.ts';
import type { MessageContent } from './outbox.ts';

/** A channel is no place for more; the campaign's page has the rest. */
const mostLines = 20;

/** The answer of a campaign: its verdicts on the question fixed before it, or the medians where it compares nothing. */
export function campaignContent(name: string, sites: readonly Site[], { primaryMetric, groups }: CampaignSummary): MessageContent {
  const outcomes = new Map<string, number>();
  const lines: string[] = [];
  for (const { siteId, condition, view, comparison, medians } of groups) {
    if (comparison) outcomes.set(comparison.outcome, (outcomes.get(comparison.outcome) ?? 0) + 1);
    if (lines.length === mostLines) continue;
    const place = `${sites.find(({ id }) => id === siteId)?.name ?? siteId}, ${condition}${view === 'warm' ? ', warm' : ''}`;
    const numbers = Object.entries(medians).map(
      ([protocol, median]) => `${protocol} ${median === null ? 'failed in half of its loads' : Math.round(median * 100) / 100}`,
    );
    lines.push(`${place}: ${comparison?.words ?? `median ${metricTitle(primaryMetric)}: ${numbers.join(', ') || 'none'}.`}`);
  }
  if (groups.length > mostLines) lines.push(`… and ${groups.length - mostLines} more.`);
  const counts = [...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(', ');
  const title = `${name} is done${counts === '' ? '' : `: ${counts}`}`;
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
      { type: 'header', text: { type: 'plain_text', text: title.slice(0, 150) } },
      ...[...sections, ...link].map((text) => ({ type: 'section', text: { type: 'mrkdwn', text } })),
    ],
  };
}

/** Slack takes these three for markup, in whatever place: a site's name must not ping a channel. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
