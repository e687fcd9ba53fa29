import type { FastifyInstance } from 'fastify';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** How long requests take, by route; event streams, which last as long as somebody looks, are counted while they are open. */
export function observeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'pronghorn_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of its reply, by route; this process alone.',
    labelNames: ['method', 'route', 'code'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const streams = new Gauge({
    name: 'pronghorn_event_streams',
    help: 'Event streams that are open; this process alone.',
    registers: [registry],
  });
  const isStream = (url: string | undefined) => url?.endsWith('/events') === true;

  app.addHook('onRequest', async (request) => {
    if (isStream(request.routeOptions.url)) streams.inc();
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url } = request.routeOptions;
    if (isStream(url)) return streams.dec();
    // What has no route is one label, or whoever asks for many paths makes many series.
    durations.observe({ method: request.method, route: url ?? 'none', code: reply.statusCode }, reply.elapsedTime / 1_000);
  });
}
