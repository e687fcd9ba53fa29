import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { harHeaders, toHar } from '@pronghorn/core/campaign';
import { Resource, SingleVisit } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { allow, params } from '../../route.ts';

const HttpArchive = Type.Object(
  { log: Type.Object({ version: Type.Literal('1.2'), pages: Type.Array(Type.Unknown()), entries: Type.Array(Type.Unknown()) }) },
  { description: 'http://www.softwareishard.com/blog/har-12-spec/, with one page.' },
);

/** Visits, read. They are stored under their leases. */
export default (async (app) => {
  const { visits } = app.store;

  app.get(
    '/visits/:id',
    allow('viewer', {
      summary: 'Read a visit with its verdict, and its metrics or its reason',
      params,
      response: { 200: SingleVisit },
    }),
    async (request) => visits.read(request.params.id),
  );

  app.get(
    '/visits/:id/resources',
    allow('viewer', {
      summary: 'List the requests of a visit',
      params,
      response: { 200: Type.Array(Resource) },
      problems: ['contents-removed'],
    }),
    async (request) => visits.resources(request.params.id),
  );

  app.get(
    '/visits/:id/har',
    allow('viewer', {
      summary: 'Read the requests of a visit as an HTTP Archive 1.2',
      params,
      querystring: Type.Object({
        headers: Type.Optional(
          Type.Enum([...harHeaders], {
            default: 'safe',
            description: 'safe: those of responses that are safe to hand on; none: no headers.',
          }),
        ),
      }),
      response: { 200: HttpArchive },
      problems: ['contents-removed'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { headers } = request.query;
      const har = toHar({ ...(await visits.ofHar(id)), ...(headers === undefined ? {} : { headers }) });
      return reply.header('content-disposition', `attachment; filename="${id}.har"`).send(har);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
