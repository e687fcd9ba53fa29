// What is asked of a process by those who watch over it; at the root, where they expect it, and outside of the API's document.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ApiVersions, Health, Readiness, type Role } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import Type from 'typebox';
import { allow } from '../route.ts';

export type OperationRoutes = {
  /** Who may read /metrics; 'elsewhere': nobody here, it is on a port of its own. */
  metricsAccess: Role | 'anyone' | 'elsewhere';
};

/**
 * Asked every few seconds, often from the one address of a gateway, by what restarts a process that gives another answer. So they are not
 * counted, and nobody's token is looked at: one that expired shall not make a process look ill. Both cost little: one answer of /readyz is
 * for all who ask within a second.
 */
const health = { rateLimit: false } as const;

export default (async (app, { metricsAccess }) => {
  app.get('/healthz', { config: health, logLevel: 'warn', schema: { response: { 200: Health } } }, async () => ({
    status: 'ok' as const,
  }));

  app.get(
    '/readyz',
    { config: health, logLevel: 'warn', schema: { response: { 200: Readiness, 503: Readiness } } },
    async (_request, reply) => {
      const readiness = await app.readiness.check();
      return reply
        .code(readiness.status === 'ready' ? 200 : 503)
        .header('cache-control', 'no-store')
        .send(readiness);
    },
  );

  app.get(
    '/api',
    allow('anyone', { response: { 200: ApiVersions } }),
    async (): Promise<ApiVersions> => ({
      service: 'pronghorn',
      version,
      versions: [{ version: 'v1', status: 'current', url: '/api/v1', openapi: '/api/v1/openapi.json' }],
      docs: '/docs',
    }),
  );

  if (metricsAccess === 'elsewhere') return;
  app.get(
    '/metrics',
    { config: { access: metricsAccess }, logLevel: 'warn', schema: { response: { 200: Type.String() } } },
    async (_request, reply) =>
      reply
        .type(app.metrics.contentType)
        .serializer((text: string) => text)
        .send(await app.metrics.text()),
  );
}) satisfies FastifyPluginAsyncTypebox<OperationRoutes>;
