import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { numbersOf } from '@pronghorn/core/network';
import { Condition, ConditionPreview, ConditionSet, KnownCondition, Page, PageQuery } from '@pronghorn/core/schemas';
import { conditionDetails, describeCondition } from '@pronghorn/core/text';
import { conditionSets } from '@pronghorn/core/vocabulary';
import type { FastifyError } from 'fastify';
import Type from 'typebox';
import { explainValidation } from '../../../plugins/app/problems/validation-errors.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found } from '../../../shared/problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { storingFaults } from '../../../tables/conditions-repository.ts';
import { allow, assertSame } from '../../route.ts';

const params = Type.Object({ name: Type.String() });

/** Network conditions: the presets, and those that users store. Campaigns keep their own copies. */
export default (async (app) => {
  const { conditions } = app.store;
  const conditionOf = async (name: string) => found(await conditions.find(name), `condition ${name}`);

  app.get(
    '/conditions',
    allow('viewer', {
      summary: 'List conditions: the presets, then those that were stored',
      querystring: PageQuery,
      response: { 200: Page(KnownCondition) },
    }),
    async (request) => conditions.page(sliceOf(request.query)),
  );

  app.get(
    '/condition-sets',
    allow('viewer', {
      summary: 'List sets of conditions, whose names stand for their conditions',
      response: { 200: Type.Array(ConditionSet) },
    }),
    async () => conditionSets.map(({ conditions, ...set }) => ({ ...set, conditions: [...conditions] })),
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
      const stored = await conditions.create(request.body, callerOf(request));
      return reply
        .code(stored === 'new' ? 201 : 200)
        .header('location', `/api/v1/conditions/${name}`)
        .send(await conditionOf(name));
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
        return {
          words: null,
          details: null,
          numbers: null,
          problems: explainValidation(validationError as FastifyError, request).errors,
          stored: false,
        };
      }
      const stored = (await conditions.find(body.name)) !== undefined;
      return {
        words: describeCondition(body),
        details: conditionDetails(body),
        numbers: numbersOf(body),
        problems: storingFaults(body),
        stored,
      };
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
      const stored = await conditions.put(body, callerOf(request));
      return reply.code(stored === 'new' ? 201 : 200).send(await conditionOf(body.name));
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
      await conditions.delete(request.params.name, callerOf(request));
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
