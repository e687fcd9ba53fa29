import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { harHeaders, toHar } from '@pronghorn/core/campaign';
import { Resource, SingleVisit } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { contentsRemoved } from '../../../plugins/app/retention/retention.ts';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, params } from '../route.ts';

const HttpArchive = Type.Object(
  { log: Type.Object({ version: Type.Literal('1.2'), pages: Type.Array(Type.Unknown()), entries: Type.Array(Type.Unknown()) }) },
  { description: 'http://www.softwareishard.com/blog/har-12-spec/, with one page.' },
);

/** Visits, read. They are stored under their leases. */
export default (async (app) => {
  const visitOf = (id: string) => found(app.visits.find(id), `visit ${id}`);
  const seqOf = (id: string) => found(app.visits.findSeq(id), `visit ${id}`);
  const resourcesOf = (id: string) => {
    const seq = seqOf(id);
    const resources = app.resources.of(seq);
    if (resources.length === 0 && app.retention.isRemoved('resources', seq)) throw contentsRemoved('resources', id);
    return resources;
  };

  app.get(
    '/visits/:id',
    allow('viewer', {
      summary: 'Read a visit with its verdict, and its metrics or its reason',
      params,
      response: { 200: SingleVisit },
    }),
    async ({ params: { id } }) => ({ ...visitOf(id), resourcesRemoved: app.retention.isRemoved('resources', seqOf(id)) }),
  );

  app.get(
    '/visits/:id/resources',
    allow('viewer', {
      summary: 'List the requests of a visit',
      params,
      response: { 200: Type.Array(Resource) },
      problems: ['contents-removed'],
    }),
    async (request) => resourcesOf(request.params.id),
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
      const visit = visitOf(request.params.id);
      const har = toHar({
        visit,
        site: found(app.campaigns.siteOf(rowId(visit.campaignId), rowId(visit.siteId)), `site ${visit.siteId}`),
        resources: resourcesOf(visit.id),
        environment: (visit.environmentId && app.environments.find(visit.environmentId)) || null,
        ...(request.query.headers === undefined ? {} : { headers: request.query.headers }),
      });
      return reply.header('content-disposition', `attachment; filename="${visit.id}.har"`).send(har);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
