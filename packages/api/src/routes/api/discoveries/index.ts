import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, SiteDiscovery } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { found } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });

/** What discovery visits found. */
export default (async (app) => {
  app.get(
    '/discoveries/:id',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read what a discovery visit found', params, response: { 200: SiteDiscovery, '4xx': Problem } },
    },
    async (request) => found(app.discoveries.find(request.params.id), `discovery ${request.params.id}`),
  );
}) satisfies FastifyPluginAsyncTypebox;
