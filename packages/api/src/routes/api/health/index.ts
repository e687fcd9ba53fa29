import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ServiceHealth } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';

/** Whether the service can answer and its database can be read. */
export default (async (app) => {
  const readable = app.database.prepare('SELECT id FROM campaigns LIMIT 1');
  app.get(
    '/health',
    { config: { access: 'anyone' }, schema: { summary: 'Whether the service works', response: { 200: ServiceHealth } } },
    async () => {
      readable.get();
      return { status: 'ok' as const, version };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
