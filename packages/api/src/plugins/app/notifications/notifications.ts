// The loop that empties the outbox.
import type { CampaignSummary } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { runLoop } from '../loop.ts';
import { createDeliverer } from './deliverer.ts';

export type NotificationsOptions = {
  /** Whether this process delivers; any number of processes on one database may. */
  enabled: boolean;
  /** Where people find the dashboard, for links; default none. */
  publicUrl: string | null;
};

declare module 'fastify' {
  interface FastifyInstance {
    notifications: {
      /** Delivers what is due by now. The loop calls it; so may whoever moves the clock. */
      tick(): Promise<void>;
    };
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

export default fp<Partial<NotificationsOptions>>(async (app, { enabled = false, publicUrl = null }) => {
  const summaryOf = async (campaignId: number) => {
    const { document } = await app.results.summary(campaignId);
    return JSON.parse(app.results.textOf(document)) as CampaignSummary;
  };
  const resolve = (url: URL) => app.destinations.resolveAllowed(url.href, { what: 'The webhook' });
  const tick = createDeliverer(app, { summaryOf, resolve, publicUrl });
  if (enabled) app.whenDue('notifications', runLoop(app, { name: 'notifications', tick, nextAt: app.store.notifications.earliest }));
  app.decorate('notifications', { tick });
});
