// The outbox, open to whoever has something to tell; and the loop that empties it.
import type { CampaignSummary } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { startLoop } from '../loop.ts';
import { type UnmeasuredSite, unmeasuredSites } from '../visits/unmeasured-sites.ts';
import { createDeliverer } from './deliverer.ts';
import { createDeliveriesRepository, type DeliveriesRepository } from './deliveries-repository.ts';
import { addressOf } from './message.ts';
import { createOutbox, type NotificationsOutbox } from './outbox.ts';
import { createTargetsRepository, type TargetsRepository } from './targets-repository.ts';
import { unmeasuredContent } from './unmeasured-message.ts';

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
      /** A campaign became done, and sites of it may not have been measured: part of the transaction in which it does. */
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
    const { write, clock, campaigns, schedules, visits, rounds } = app;
    const summaryOf = async (campaignId: number) => {
      const { document } = await app.results.summary(campaignId);
      return JSON.parse(app.results.textOf(document)) as CampaignSummary;
    };
    const resolve = (url: URL) => app.destinations.resolveAllowed(url.href, { what: 'The webhook' });
    const deliverer = createDeliverer({ write, clock, targets, deliveries, campaigns, summaryOf, resolve, publicUrl, log: app.log }, now);
    app.decorate('notifications', {
      ...outbox,
      now,
      targets,
      deliveries,
      campaignDone(campaignId) {
        const schedule = schedules.ofCampaign(campaignId);
        const only = schedule?.spec.notifications ?? null;
        const about = { campaignId, scheduleId: schedule?.id ?? null, only };
        outbox.enqueue({ event: 'campaign-done', ...about, content: null });
        const campaign = campaigns.find(String(campaignId));
        const found = campaign === undefined ? [] : unmeasuredSites(campaign, { visits, rounds });
        if (campaign === undefined || found.length === 0) return;
        const lastValid = ({ site, protocols }: UnmeasuredSite) =>
          visits.lastValid(
            campaignId,
            Number(site.id),
            protocols.length === new Set(campaign.spec.protocols).size ? null : (protocols[0] ?? null),
          );
        const content = unmeasuredContent(found, { campaign, lastValid });
        app.log.warn({ event: 'site-unmeasured', campaign: campaign.id }, content.title);
        outbox.enqueue({ event: 'site-unmeasured', ...about, content });
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
    dependencies: ['clock', 'destinations', 'schedules-repository', 'campaigns-repository', 'visits-repository', 'rounds-repository'],
  },
);
