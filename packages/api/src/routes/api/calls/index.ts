import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CallsPermission, Problem } from '@pronghorn/core/schemas';

/** Whose servers may be loaded with REST calls, how much, and what line they have to serve before. */
export default (async (app) => {
  app.get(
    '/calls',
    {
      config: { access: 'viewer', problems: [] },
      schema: {
        summary: 'What is permitted of REST calls, and the line that a server has to serve before it is loaded',
        response: { 200: CallsPermission, '4xx': Problem },
      },
    },
    async () => app.calls.permission(),
  );
}) satisfies FastifyPluginAsyncTypebox;
