import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Environment, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { found, ProblemError } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });

/** What visits ran in. */
export default (async (app) => {
  app.put(
    '/environments/:id',
    {
      config: { access: 'runner', problems: ['already-different'] },
      schema: {
        summary: 'Store what visits ran in; its id is the hash of its content',
        params,
        body: Environment,
        response: { '2xx': Environment, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.id !== request.params.id) {
        throw new ProblemError(
          'invalid-request',
          `The environment's id is ${body.id}, and its path says ${request.params.id}; expected the same.`,
        );
      }
      const stored = await app.write(() => app.environments.put(body));
      if (stored === 'different') {
        throw new ProblemError(
          'already-different',
          `Another environment is stored as ${body.id}. An environment's id is the hash of its content; make it anew.`,
        );
      }
      return reply.code(stored === 'new' ? 201 : 200).send(body);
    },
  );

  app.get(
    '/environments/:id',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read what visits ran in', params, response: { 200: Environment, '4xx': Problem } },
    },
    async (request, reply) => {
      const environment = found(app.environments.find(request.params.id), `environment ${request.params.id}`);
      reply.header('cache-control', 'private, max-age=31536000, immutable'); // its id is the hash of its content
      return environment;
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
