import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ApiVersions, Problem } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';

/** What a client can ask before it knows anything of the service: which versions of the API it speaks. */
export default (async (app) => {
  app.get(
    '/api',
    { config: { access: 'anyone' }, schema: { response: { 200: ApiVersions, '4xx': Problem } } },
    async (): Promise<ApiVersions> => ({
      service: 'pronghorn',
      version,
      versions: [{ version: 'v1', status: 'current', url: '/api/v1', openapi: '/api/v1/openapi.json' }],
      docs: '/docs',
    }),
  );
}) satisfies FastifyPluginAsyncTypebox;
