import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, SiteDiscovery } from '@pronghorn/core';
import Type from 'typebox';
import { found, ProblemError } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });

/** A page of a thousand hosts, each with a long Alt-Svc header, and as many broken URLs. */
const discoveryBodyLimit = 8 * 2 ** 20;

/** What discovery visits found. */
export default (async (app) => {
  app.put(
    '/discoveries/:id',
    {
      config: { access: 'runner', problems: ['already-different', 'unknown-reference'] },
      bodyLimit: discoveryBodyLimit,
      schema: {
        summary: 'Store what a discovery visit found of a site',
        params,
        body: SiteDiscovery,
        response: { '2xx': SiteDiscovery, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.id !== request.params.id) {
        throw new ProblemError(
          'invalid-request',
          `The discovery's id is ${body.id}, and its path says ${request.params.id}; expected the same.`,
        );
      }
      const stored = await app.write(() => app.discoveries.put(body));
      if (stored === 'no-site') {
        throw new ProblemError(
          'unknown-reference',
          `There is no site ${body.siteId} in a campaign ${body.campaignId}. Take both from the lease.`,
        );
      }
      if (stored === 'different') {
        throw new ProblemError(
          'already-different',
          `Another discovery is stored as ${body.id}. A discovery never changes; give this one an id of its own.`,
        );
      }
      return reply.code(stored === 'new' ? 201 : 200).send(body);
    },
  );

  app.get(
    '/discoveries/:id',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read what a discovery visit found', params, response: { 200: SiteDiscovery, '4xx': Problem } },
    },
    async (request) => found(app.discoveries.find(request.params.id), `discovery ${request.params.id}`),
  );
}) satisfies FastifyPluginAsyncTypebox;
