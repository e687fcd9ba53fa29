import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { numbersOf } from '@pronghorn/core/network';
import { Condition, ConditionPreview, KnownCondition, Page, PageQuery } from '@pronghorn/core/schemas';
import { describeCondition } from '@pronghorn/core/text';
import type { FastifyError } from 'fastify';
import Type from 'typebox';
import { assertNoPreset, assertStorable, storingFaults } from '../../../plugins/app/conditions/conditions-repository.ts';
import { explainValidation } from '../../../plugins/app/problems/validation-errors.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { allow, assertSame } from '../route.ts';

const params = Type.Object({ name: Type.String() });

/** Network conditions: the presets, and those that users store. Campaigns keep their own copies. */
export default (async (app) => {
  const conditionOf = (name: string) => found(app.conditions.find(name), `condition ${name}`);

  app.get(
    '/conditions',
    allow('viewer', {
      summary: 'List conditions: the presets, then those that were stored',
      querystring: PageQuery,
      response: { 200: Page(KnownCondition) },
    }),
    async (request) => app.conditions.page(sliceOf(request.query)),
  );

  app.get(
    '/conditions/:name',
    allow('viewer', {
      summary: 'Read a condition; loss-2.rtt-50 is loss-2 with a base RTT of 50 ms',
      params,
      response: { 200: KnownCondition },
    }),
    async (request) => conditionOf(request.params.name),
  );

  app.post(
    '/conditions',
    allow('submitter', {
      summary: 'Store a condition: 201, or 200 when the same was stored before',
      body: Condition,
      response: { '2xx': KnownCondition },
      problems: ['already-different', 'invalid-condition', 'preset-condition'],
    }),
    async (request, reply) => {
      const { name } = request.body;
      assertStorable(request.body);
      const stored = await app.write(() => {
        const added = app.conditions.add(request.body);
        if (added === 'new') request.audit('condition.create', name);
        return added;
      });
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
    },
  );

  app.post(
    '/conditions/preview',
    allow('viewer', {
      summary: 'Preview a condition without storing it: what it would do, and why it would be refused',
      body: Condition,
      response: { 200: ConditionPreview },
      attachValidation: true,
    }),
    async (request) => {
      const { body, validationError } = request;
      if (validationError) {
        if (body === undefined || body === null) throw validationError; // nobody types that
        return { words: null, numbers: null, problems: explainValidation(validationError as FastifyError, request).errors, stored: false };
      }
      const stored = app.conditions.find(body.name) !== undefined;
      return { words: describeCondition(body), numbers: numbersOf(body), problems: storingFaults(body), stored };
    },
  );

  app.put(
    '/conditions/:name',
    allow('submitter', {
      summary: 'Store a condition in place of the one of its name',
      params,
      headers: preconditionHeaders,
      body: Condition,
      response: { '2xx': KnownCondition },
      problems: ['invalid-condition', 'preset-condition'],
    }),
    async (request, reply) => {
      const { params, body } = request;
      assertSame("condition's name", body.name, params.name);
      assertStorable(body);
      const stored = await app.write(() => {
        app.assertUnchanged(request, app.conditions.find(body.name));
        const put = app.conditions.put(body);
        const action = put === 'new' ? 'condition.create' : 'condition.replace';
        request.audit(action, body.name);
        return put;
      });
      return reply.code(stored === 'new' ? 201 : 200).send(conditionOf(body.name));
    },
  );

  app.delete(
    '/conditions/:name',
    allow('submitter', {
      summary: 'Delete a condition; campaigns keep their own copies',
      params,
      headers: preconditionHeaders,
      response: { 204: Type.Null() },
      problems: ['preset-condition'],
    }),
    async (request, reply) => {
      const { name } = request.params;
      assertNoPreset(name);
      await app.write(() => {
        app.assertUnchanged(request, found(app.conditions.find(name), `condition ${name} of yours`));
        app.conditions.delete(name);
        request.audit('condition.delete', name);
      });
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
