import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CallsPermission, ServiceHealth } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import Type from 'typebox';
import { allow } from '../../route.ts';

/** Whether the service can answer and its database can be read; whose servers may be loaded; the description of all routes. */
export default (async (app) => {
  const { service } = app.store;
  app.get('/health', allow('anyone', { summary: 'Whether the service works', response: { 200: ServiceHealth } }), async () => {
    await service.assertReadable();
    return { status: 'ok' as const, version };
  });

  app.get(
    '/calls',
    allow('viewer', {
      summary: 'Read which REST calls are permitted, and the line that a server must serve before it is loaded',
      response: { 200: CallsPermission },
    }),
    async () => service.callsPermission(),
  );

  app.get(
    '/openapi.json',
    allow('anyone', {
      summary: 'Read this document',
      operationId: 'getOpenapi',
      response: { 200: Type.Unknown({ description: 'An OpenAPI 3.1 document.' }) },
    }),
    async (_request, reply) => reply.header('cache-control', 'no-cache').send(app.swagger()),
  );
}) satisfies FastifyPluginAsyncTypebox;
