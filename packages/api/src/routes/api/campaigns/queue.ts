import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignQueue, Page, Problem, QueueDepth } from '@pronghorn/core/schemas';
import Type from 'typebox';

/** Where a campaign stands in the queue, and how full that is. */
export default (async (app) => {
  app.get(
    '/campaigns/:id/queue',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'Tell what goes before a campaign’s rounds, and when it will be done',
        tags: ['campaigns'],
        params: Type.Object({ id: Type.String() }),
        response: { 200: CampaignQueue, '4xx': Problem },
      },
    },
    async (request) => app.queue.place(String(app.campaigns.known(request.params.id).campaignId)),
  );

  app.get(
    '/queue',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'Tell how many rounds are queued and leased, by priority and location',
        tags: ['campaigns'],
        response: { 200: Page(QueueDepth), '4xx': Problem },
      },
    },
    async () => ({ items: await app.queue.depths(), nextCursor: null }),
  );
}) satisfies FastifyPluginAsyncTypebox;
