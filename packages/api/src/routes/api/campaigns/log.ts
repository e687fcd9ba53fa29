import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignLogLine, logLevels, Page, Problem, pageQuery } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { sliceOf } from '../../../storage/page.ts';

const params = Type.Object({ id: Type.String() });
const LogQuery = Type.Object(
  { ...pageQuery, level: Type.Optional(Type.Enum([...logLevels], { description: 'Only lines of this level.' })) },
  { additionalProperties: false },
);

/** What happened to a campaign, in lines. */
export default (async (app) => {
  app.get(
    '/campaigns/:id/log',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List of what happened to a campaign, in the order in which it did',
        tags: ['campaigns'],
        params,
        querystring: LogQuery,
        response: { 200: Page(CampaignLogLine), '4xx': Problem },
      },
    },
    async ({ params: { id }, query }) => {
      return app.campaignLog.page(app.campaigns.known(id).campaignId, query.level ?? null, sliceOf(query));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
