import fastify, { type FastifyInstance } from 'fastify';
import type { Api } from './app.ts';
import problemDetails from './plugins/app/problems/problem-details.ts';
import sameHost from './plugins/app/same-host.ts';
import unusedConnections from './plugins/app/unused-connections.ts';

/**
 * Metrics and health on a port of their own, for those who watch, while the service's port is for those who use it. Whoever reaches it may
 * read, by an address or a name of the service: a web page whose name was made to point here has another.
 */
export function buildMetricsServer(api: Api, { allowedHosts }: { allowedHosts: readonly string[] }): FastifyInstance {
  const server = fastify({ logger: false });
  server.register(unusedConnections);
  server.register(problemDetails);
  server.register(sameHost, { allowedHosts });
  server.register(async (scope) => {
    scope.get('/metrics', async (_request, reply) => reply.type(api.metrics.contentType).send(await api.metrics.text()));
    scope.get('/healthz', async () => ({ status: 'ok' }));
    scope.get('/readyz', async (_request, reply) => {
      const readiness = await api.readiness.check();
      return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
    });
  });
  return server;
}
