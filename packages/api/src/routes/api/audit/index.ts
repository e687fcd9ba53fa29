import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { AuditEntry, Page, PageQuery, Problem } from '@pronghorn/core/schemas';
import { sliceOf } from '../../../storage/page.ts';

/** Who changed what. */
export default (async (app) => {
  app.get(
    '/audit',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Who changed what, newest first',
        tags: ['access'],
        querystring: PageQuery,
        response: { 200: Page(AuditEntry), '4xx': Problem },
      },
    },
    async (request) => app.audit.page(sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
