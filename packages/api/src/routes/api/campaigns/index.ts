import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Campaign, CampaignRequest, Page, PageQuery, Problem } from '@pronghorn/core';
import Type from 'typebox';
import { found } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';

const params = Type.Object({ id: Type.String() });
/** A thousand sites with URLs as long as the schema allows. */
const bodyLimit = 8 * 2 ** 20;

/** Campaigns: made, listed, read, cancelled, resumed. */
export default (async (app) => {
  const campaignOf = (id: string) => found(app.campaigns.find(id), `campaign ${id}`);

  app.post(
    '/campaigns',
    { bodyLimit, schema: { body: CampaignRequest, response: { 201: Campaign, '4xx': Problem } } },
    async (request, reply) => {
      const id = await app.queue.submit(request.body);
      return reply.code(201).header('location', `/api/v1/campaigns/${id}`).send(campaignOf(id));
    },
  );

  app.get('/campaigns', { schema: { querystring: PageQuery, response: { 200: Page(Campaign), '4xx': Problem } } }, async (request) =>
    app.campaigns.page(sliceOf(request.query)),
  );

  app.get('/campaigns/:id', { schema: { params, response: { 200: Campaign, '4xx': Problem } } }, async (request) =>
    campaignOf(request.params.id),
  );

  app.post('/campaigns/:id/cancel', { schema: { params, response: { 200: Campaign, '4xx': Problem } } }, async (request) => {
    await app.queue.cancel(request.params.id);
    return campaignOf(request.params.id);
  });

  app.post('/campaigns/:id/resume', { schema: { params, response: { 200: Campaign, '4xx': Problem } } }, async (request) => {
    await app.queue.resume(request.params.id);
    return campaignOf(request.params.id);
  });
}) satisfies FastifyPluginAsyncTypebox;
