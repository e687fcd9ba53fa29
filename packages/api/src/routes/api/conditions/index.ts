import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Condition, KnownCondition, Page, PageQuery, Problem } from '@pronghorn/core';
import Type from 'typebox';
import { assertNoPreset, assertStorable } from '../../../plugins/app/conditions/condition-problems.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';

const params = Type.Object({ name: Type.String() });

/** Network conditions: the presets, and those that users store. Campaigns keep their own copies. */
export default (async (app) => {
  const conditionOf = (name: string) => found(app.conditions.find(name), `condition ${name}`);

  app.get('/conditions', { schema: { querystring: PageQuery, response: { 200: Page(KnownCondition), '4xx': Problem } } }, async (request) =>
    app.conditions.page(sliceOf(request.query)),
  );

  app.get('/conditions/:name', { schema: { params, response: { 200: KnownCondition, '4xx': Problem } } }, async (request) =>
    conditionOf(request.params.name),
  );

  app.post('/conditions', { schema: { body: Condition, response: { '2xx': KnownCondition, '4xx': Problem } } }, async (request, reply) => {
    const { name } = request.body;
    assertStorable(request.body);
    const stored = app.conditions.add(request.body);
    if (stored === 'different') {
      throw new ProblemError(
        'already-different',
        `Another condition is stored as ${name}. Change it by PUT /api/v1/conditions/${name}, or give this one another name.`,
      );
    }
    return reply
      .code(stored === 'new' ? 201 : 200)
      .header('location', `/api/v1/conditions/${name}`)
      .send(conditionOf(name));
  });

  app.put(
    '/conditions/:name',
    { schema: { params, body: Condition, response: { '2xx': KnownCondition, '4xx': Problem } } },
    async (request, reply) => {
      const { params, body } = request;
      if (body.name !== params.name) {
        throw new ProblemError(
          'invalid-request',
          `The condition's name is ${body.name}, and its path says ${params.name}; expected the same.`,
        );
      }
      assertStorable(body);
      return reply.code(app.conditions.put(body) === 'new' ? 201 : 200).send(conditionOf(body.name));
    },
  );

  app.delete('/conditions/:name', { schema: { params, response: { 204: Type.Null(), '4xx': Problem } } }, async (request, reply) => {
    const { name } = request.params;
    assertNoPreset(name);
    found(app.conditions.delete(name) || undefined, `condition ${name} of yours`);
    return reply.code(204).send(null);
  });
}) satisfies FastifyPluginAsyncTypebox;
