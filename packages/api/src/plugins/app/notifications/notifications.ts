// The outbox, open to whoever has something to tell; and the loop that empties it.

import { randomUUID } from 'node:crypto';
import type { CampaignSummary, NotificationEvent } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../loop.ts';
import { type UnmeasuredSite, unmeasuredSites } from '../visits/unmeasured-sites.ts';
import { createDeliverer } from './deliverer.ts';
import { addressOf, unmeasuredContent } from './messages.ts';
import { createDeliveriesRepository, createTargetsRepository } from './notifications-repository.ts';

export type NotificationsOptions = {
  /** Whether this process delivers; any number of processes on one database may. */
  enabled: boolean;
  /** Where people find the dashboard, for links; default none. */
  publicUrl: string | null;
};

declare module 'fastify' {
  interface FastifyInstance {
    notifications: ReturnType<typeof createNotifications>;
  }
}

/** What a message says. */
export type MessageContent = {
  /** The answer in a line. */
  title: string;
  /** The numbers behind it, in sentences. */
  lines: readonly string[];
  /** For programs, by event; null: there is no more. */
  details: unknown;
};

type Notification = {
  event: NotificationEvent;
  /** Rows. */
  campaignId?: number | null;
  scheduleId?: number | null;
  /** Ids of the only targets that are told; null: all that chose the event. */
  only?: readonly string[] | null;
  /** Null: is made of the campaign's results before the first try, so that no transaction waits for them. */
  content: MessageContent | null;
};

function createNotifications(app: FastifyInstance, { enabled = false, publicUrl = null }: Partial<NotificationsOptions>) {
  const { now, campaigns, schedules, visits, rounds } = app;
  const targets = createTargetsRepository(app.database);
  const deliveries = createDeliveriesRepository(app.database);
  const summaryOf = async (campaignId: number) => {
    const { document } = await app.results.summary(campaignId);
    return JSON.parse(app.results.textOf(document)) as CampaignSummary;
  };
  const resolve = (url: URL) => app.destinations.resolveAllowed(url.href, { what: 'The webhook' });
  const deliverer = createDeliverer(app, { targets, deliveries, summaryOf, resolve, publicUrl });
  const tick = deliverer.deliverDue;
  const wake = enabled ? runLoop(app, { name: 'notifications', tick, nextAt: deliveries.earliest }) : () => {};

  return {
    targets,
    deliveries,
    enqueue,

    /** A message that says nothing but that it arrived. @returns the delivery's id. */
    enqueueTest(target: { id: number; name: string }): string {
      const id = randomUUID();
      const content = { title: 'A test message of Pronghorn', lines: [`${target.name} is told what it chose.`], details: null };
      deliveries.insert({ id, targetId: target.id, event: 'test', campaignId: null, scheduleId: null, content, createdAt: now() });
      wake();
      return id;
    },

    /** A campaign became done, and sites of it may not have been measured: part of the transaction in which it does. */
    campaignDone(campaignId: number): void {
      const schedule = schedules.ofCampaign(campaignId);
      const about = { campaignId, scheduleId: schedule?.id ?? null, only: schedule?.spec.notifications ?? null };
      enqueue({ event: 'campaign-done', ...about, content: null });
      const campaign = campaigns.find(String(campaignId));
      const found = campaign === undefined ? [] : unmeasuredSites(campaign, { visits, rounds });
      if (campaign === undefined || found.length === 0) return;
      const lastValid = ({ site, protocols }: UnmeasuredSite) => {
        const isAll = protocols.length === new Set(campaign.spec.protocols).size;
        return visits.lastValid(campaignId, Number(site.id), isAll ? null : (protocols[0] ?? null));
      };
      const content = unmeasuredContent(found, { campaign, lastValid });
      app.log.warn({ event: 'site-unmeasured', campaign: campaign.id }, content.title);
      enqueue({ event: 'site-unmeasured', ...about, content });
    },
    /** Where a path of this service is found from outside; the path alone where the service was not given its own address. */
    addressOf: (path: string): string => addressOf(publicUrl, path),
    /** Delivers what is due by now. The loop calls it; so may whoever moves the clock. */
    tick,
  };

  /**
   * Writes a delivery for each target that chose the event. To be called inside the transaction of what it tells of: both are there
   * afterwards, or neither. @returns how many.
   */
  function enqueue({ event, campaignId = null, scheduleId = null, only = null, content }: Notification): number {
    const chosen = targets.enabled().filter(({ id, events, campaigns }) => {
      const scheduled = campaigns === 'all' || scheduleId !== null;
      return events.includes(event) && scheduled && (only === null || only.includes(String(id)));
    });
    for (const { id } of chosen) {
      deliveries.insert({ id: randomUUID(), targetId: id, event, campaignId, scheduleId, content, createdAt: now() });
    }
    if (chosen.length > 0) wake();
    return chosen.length;
  }
}

export default fp<Partial<NotificationsOptions>>(async (app, options) => {
  app.decorate('notifications', createNotifications(app, options));
});
