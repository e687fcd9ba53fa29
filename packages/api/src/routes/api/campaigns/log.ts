import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignLogLine, logLevels, Page, Problem, pageQuery } from '@pronghorn/core';
import Type from 'typebox';
import { found } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

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
      found(app.campaigns.findSpec(rowId(id)), `campaign ${id}`);
      return app.campaignLog.page(rowId(id), query.level ?? null, sliceOf(query));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
