import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import Type from 'typebox';

const Document = Type.Unknown({ description: 'An OpenAPI 3.1 document.' });

/** The description of all routes. */
export default (async (app) => {
  app.get(
    '/openapi.json',
    {
      config: { access: 'anyone' },
      schema: { summary: 'This document', operationId: 'getOpenapi', response: { 200: Document } },
    },
    async (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
}) satisfies FastifyPluginAsyncTypebox;
