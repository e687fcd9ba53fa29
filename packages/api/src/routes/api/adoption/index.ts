import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Adoption, AdoptionQuery, Problem } from '@pronghorn/core/schemas';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

/** Who offers HTTP/3, by what imports say. */
export default (async (app) => {
  app.get(
    '/adoption',
    {
      config: { access: 'viewer', problems: ['not-found', 'results-busy'] },
      schema: {
        summary: 'Who advertises HTTP/3 and QUIC by Alt-Svc: by month, version, provider and server',
        tags: ['imports'],
        querystring: AdoptionQuery,
        response: { 200: Adoption, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { unit = 'site', importId, from = null, to = null } = request.query;
      if (importId !== undefined) found(app.imports.find(rowId(importId)), `import ${importId}`);
      const text = await app.results.adoption({ importId: importId === undefined ? null : rowId(importId), from, to }, unit);
      return reply.type('application/json; charset=utf-8').send(text as never);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
