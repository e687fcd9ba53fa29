// The outbox, open to whoever has something to tell; and the loop that empties it.
import type { CampaignSummary } from '@pronghorn/core';
import fp from 'fastify-plugin';
import { startLoop } from '../loop.ts';
import { createDeliverer } from './deliverer.ts';
import { createDeliveriesRepository, type DeliveriesRepository } from './deliveries-repository.ts';
import { addressOf } from './message.ts';
import { createOutbox, type NotificationsOutbox } from './outbox.ts';
import { createTargetsRepository, type TargetsRepository } from './targets-repository.ts';

export type NotificationsOptions = {
  /** Whether this process delivers; any number of processes on one database may. */
  enabled: boolean;
  /** Where people find the dashboard, for links; default none. */
  publicUrl: string | null;
};

declare module 'fastify' {
  interface FastifyInstance {
    notifications: NotificationsOutbox & {
      /** Milliseconds since 1970. */
      now(): number;
      readonly targets: TargetsRepository;
      readonly deliveries: DeliveriesRepository;
      /** Where a path of this service is found from outside; the path alone where nobody told it its own address. */
      addressOf(path: string): string;
      /** A campaign became done: part of the transaction in which it does. */
      campaignDone(campaignId: number): void;
      /** Delivers what is due by now. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
    };
  }
}

export default fp<{ now: () => number; options: Partial<NotificationsOptions> }>(
  async (app, { now, options }) => {
    const targets = createTargetsRepository(app.database);
    const deliveries = createDeliveriesRepository(app.database);
    const { enabled = false, publicUrl = null } = options;
    let wake = () => {};
    let stop = async () => {};
    const outbox = createOutbox({ targets, deliveries }, now, () => wake());
    const { clock, campaigns, schedules } = app;
    const summaryOf = async (campaignId: number) => {
      const { document } = await app.results.summary(campaignId);
      return JSON.parse(app.results.textOf(document)) as CampaignSummary;
    };
    const resolve = (url: URL) => app.destinations.resolveAllowed(url.href, { what: 'The webhook' });
    const deliverer = createDeliverer({ clock, targets, deliveries, campaigns, summaryOf, resolve, publicUrl, log: app.log }, now);
    app.decorate('notifications', {
      ...outbox,
      now,
      targets,
      deliveries,
      campaignDone(campaignId) {
        const schedule = schedules.ofCampaign(campaignId);
        const only = schedule?.spec.notifications ?? null;
        outbox.enqueue({ event: 'campaign-done', campaignId, scheduleId: schedule?.id ?? null, only, content: null });
      },
      addressOf: (path) => addressOf(publicUrl, path),
      tick: deliverer.deliverDue,
    });
    if (!enabled) return;
    app.addHook('onReady', async () => {
      const loop = startLoop({ name: 'notifications', tick: deliverer.deliverDue, nextAt: deliveries.earliest }, { now, log: app.log });
      wake = loop.wake;
      stop = loop.stop;
    });
    app.addHook('preClose', () => stop());
  },
  {
    name: 'notifications',
    dependencies: ['clock', 'destinations', 'schedules-repository', 'campaigns-repository'],
  },
);
