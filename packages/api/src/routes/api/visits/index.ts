import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, Resource, toHar, Visit } from '@pronghorn/core';
import Type from 'typebox';
import { found } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });

/** Visits, read. They are stored under their leases. */
export default (async (app) => {
  const visitOf = (id: string) => found(app.visits.find(id), `visit ${id}`);
  const resourcesOf = (id: string) => app.resources.of(found(app.visits.findSeq(id), `visit ${id}`));

  app.get('/visits/:id', { schema: { params, response: { 200: Visit, '4xx': Problem } } }, async (request) => visitOf(request.params.id));

  app.get('/visits/:id/resources', { schema: { params, response: { 200: Type.Array(Resource), '4xx': Problem } } }, async (request) =>
    resourcesOf(request.params.id),
  );

  app.get('/visits/:id/har', { schema: { params } }, async (request, reply) => {
    const visit = visitOf(request.params.id);
    const { sites } = found(app.campaigns.findSpec(rowId(visit.campaignId)), `campaign ${visit.campaignId}`);
    const har = toHar({
      visit,
      site: found(
        sites.find(({ id }) => id === visit.siteId),
        `site ${visit.siteId}`,
      ),
      resources: resourcesOf(visit.id),
      environment: (visit.environmentId && app.environments.find(visit.environmentId)) || null,
    });
    return reply.header('content-disposition', `attachment; filename="${visit.id}.har"`).send(har);
  });
}) satisfies FastifyPluginAsyncTypebox;
