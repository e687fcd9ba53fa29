// Delivers what waits in the outbox: at least once, with growing pauses after failures, and gives up in the end.
import type { CampaignSummary } from '@pronghorn/core/schemas';
import type { FastifyBaseLogger } from 'fastify';
import type { Write } from '../../../storage/write.ts';
import type { CampaignsRepository } from '../campaigns/campaigns-repository.ts';
import type { Clock } from '../clock/clock.ts';
import type { Claimed, DeliveriesRepository } from './deliveries-repository.ts';
import { bodyOf, campaignContent } from './message.ts';
import type { MessageContent } from './outbox.ts';
import { type CheckedAddress, postJson } from './post.ts';
import { signatureHeader } from './signature.ts';
import type { TargetsRepository } from './targets-repository.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** Between tries: after the sixth has passed without luck, nine hours have. */
export const pausesMs = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour];
const atOnce = 8;
/** How long the list of deliveries goes back: 30 days. */
const keptMs = 30 * 24 * hour;
/** Longer than a try takes: what a process claimed and never finished is another's by then. */
const claimMs = minute;

type Parts = {
  write: Write;
  clock: Pick<Clock, 'doubt'>;
  targets: TargetsRepository;
  deliveries: DeliveriesRepository;
  campaigns: CampaignsRepository;
  summaryOf(campaignId: number): Promise<CampaignSummary>;
  /** Where a URL may be posted to. @throws Error in words. */
  resolve(url: URL): Promise<readonly CheckedAddress[]>;
  /** Of the dashboard; null: unknown. */
  publicUrl: string | null;
  /** The service's own. */
  log?: FastifyBaseLogger;
};

export function createDeliverer(
  { write, clock, targets, deliveries, campaigns, summaryOf, resolve, publicUrl, log }: Parts,
  now: () => number,
) {
  /** Of a campaign that became done. */
  async function contentOf(campaignId: number): Promise<MessageContent> {
    const campaign = campaigns.findSpec(campaignId);
    if (campaign === undefined) return { title: `Campaign ${campaignId} is done, and was deleted since`, lines: [], details: null };
    return campaignContent(campaign.spec.name, campaign.sites, await summaryOf(campaignId));
  }

  /** @returns false when it has become another claim's to send. */
  async function send(claimed: Claimed): Promise<boolean> {
    const target = targets.find(claimed.targetId);
    if (target === undefined) return false;
    let content = claimed.content;
    if (content === null) {
      content = await contentOf(claimed.campaignId ?? 0);
      const made = content;
      if (!(await write(() => deliveries.setContent(claimed, made, now() + claimMs)))) return false;
    }
    const body = bodyOf(target.kind, claimed, content, publicUrl);
    const headers = {
      'pronghorn-delivery': claimed.id,
      'pronghorn-event': claimed.event,
      ...(target.kind === 'webhook' && { 'pronghorn-signature': signatureHeader(target.secret, body, now()) }),
    };
    const url = new URL(target.url);
    const status = await postJson(url, body, headers, await resolve(url));
    if (status < 200 || status > 299)
      throw new Error(`answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}`);
    return true;
  }

  const claim = () => write(() => deliveries.claim(now(), now() + claimMs));

  /** Tries one after the other until nothing is due. */
  async function deliverNext(): Promise<void> {
    for (;;) {
      const claimed = await claim();
      if (claimed === undefined) return;
      try {
        if (await send(claimed)) await write(() => deliveries.setDelivered(claimed.id, new Date(now()).toISOString()));
      } catch (error) {
        const pause = pausesMs[claimed.attempts - 1];
        const next = pause === undefined ? null : now() + pause;
        const words = (error as Error).message.slice(0, 500);
        await write(() => deliveries.setFailed(claimed.id, claimed.attempts, next, words));
        if (next === null) log?.warn({ event: 'notification-given-up', target: String(claimed.targetId) }, (error as Error).message);
      }
    }
  }

  return {
    /** Tries everything that is due by now, a few at once: a receiver that never answers shall not keep the others waiting. */
    async deliverDue(): Promise<void> {
      await write(() => {
        if (clock.doubt() === null) deliveries.forgetBefore(now() - keptMs);
        // What waits for longer than any pause was put off by a clock that was ahead.
        deliveries.hasten(now() + Math.max(...pausesMs) + claimMs, now());
      });
      await Promise.all(Array.from({ length: atOnce }, deliverNext));
    },
  };
}
