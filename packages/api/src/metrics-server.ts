import fastify, { type FastifyInstance } from 'fastify';
import type { Api } from './app.ts';
import unusedConnections from './plugins/app/unused-connections.ts';

/**
 * Metrics and health on a port of their own, for those who watch, while the service's port is for those who use it. Whoever reaches it may
 * read.
 */
export function buildMetricsServer(api: Api): FastifyInstance {
  const server = fastify({ logger: false });
  server.register(unusedConnections);
  server.get('/metrics', async (_request, reply) => reply.type(api.metrics.contentType).send(await api.metrics.text()));
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const readiness = await api.readiness.check();
    return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
  });
  return server;
}
