import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Page, PageQuery, Problem, Runner, RunnerHeartbeat, RunnerRegistration } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { sliceOf } from '../../../storage/page.ts';

const params = Type.Object({ id: Type.String() });
const tags = ['runners'];

/** How runners come, give signs and go, and who is there. */
export default (async (app) => {
  app.post(
    '/runners',
    {
      config: { access: 'runner', problems: ['runner-present', 'runner-incompatible'] },
      schema: {
        summary: 'Register a runner, or what has changed of it',
        description: 'Another process of the same name takes the place of the one before, whose leases are lost at once.',
        tags,
        body: RunnerRegistration,
        response: { 200: Runner, 201: Runner, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { runner, isNew } = await app.runnerRegistry.register(request.body, request.access);
      return reply
        .code(isNew ? 201 : 200)
        .header('location', `/api/v1/runners/${runner.id}`)
        .send(runner);
    },
  );

  app.post(
    '/runners/:id/heartbeat',
    {
      config: { access: 'runner', problems: ['runner-replaced'] },
      schema: {
        summary: 'Say that a runner is there, and what it does',
        tags,
        params,
        body: RunnerHeartbeat,
        response: { 200: Runner, '4xx': Problem },
      },
    },
    async (request) => app.runnerRegistry.heartbeat(request.params.id, request.body),
  );

  app.get(
    '/runners',
    {
      config: { access: 'viewer' },
      schema: { summary: 'List runners', tags, querystring: PageQuery, response: { 200: Page(Runner), '4xx': Problem } },
    },
    async (request) => app.runnerRegistry.page(sliceOf(request.query)),
  );

  app.get(
    '/runners/:id',
    { config: { access: 'viewer' }, schema: { summary: 'Read a runner', tags, params, response: { 200: Runner, '4xx': Problem } } },
    async (request) => app.runnerRegistry.find(request.params.id),
  );

  app.delete(
    '/runners/:id',
    {
      config: { access: 'admin', problems: ['runner-present'] },
      schema: { summary: 'Forget a runner that is lost or stopped', tags, params, response: { 204: Type.Null(), '4xx': Problem } },
    },
    async (request, reply) => {
      const { id } = request.params;
      await app.write(() => {
        const { name } = app.runnerRegistry.find(id);
        app.runnerRegistry.forget(id);
        app.audit.record({ by: request.access.name, action: 'runner.delete', subject: id, detail: { name } });
      });
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
