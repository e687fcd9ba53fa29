// One line for each request, when it is answered, and the id in the answer by which it is found.
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';

/**
 * Changes are told at `info`, refusals for want of a token or for too many requests at `warn`, faults of the service at `error`. Reads
 * and what runners do all the time are `debug`: at a hundred uploads a second nobody reads them. Paths are told without their query,
 * which may hold what is nobody's business.
 */
export default fp(async (app) => {
  app.addHook('onRequest', async ({ id }, reply) => void reply.header('x-request-id', id));
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    request.log[levelOf(request, reply)](
      {
        event: 'request',
        method,
        path: request.url.split('?', 1)[0],
        route: routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        by: nameOf(request),
        from: request.ip,
      },
      `${method} ${routeOptions.url ?? 'no route'} ${reply.statusCode}`,
    );
  });
});

function levelOf({ method, routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply): 'debug' | 'info' | 'warn' | 'error' {
  if (statusCode >= 500) return 'error';
  if (statusCode === 401 || statusCode === 403 || statusCode === 429) return 'warn';
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || config.access === 'runner') return 'debug';
  return 'info';
}

/** Not known of what was refused before anybody asked who it is. */
const nameOf = ({ access }: FastifyRequest): string | undefined =>
  access?.publicLink ? `public link ${access.publicLink.id}` : (access?.name ?? undefined);
