import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Page, PageQuery, Runner, RunnerHeartbeat, RunnerRegistration, RunnersWork, RunnerWork } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { found } from '../../../shared/problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

const dayMs = 86_400_000;
const shownRounds = 20;

/** How runners come, give signs and go, and who is there. */
export default (async (app) => {
  const { runners } = app.store;
  const runnerOf = async (id: string) => found(await runners.find(id), `runner ${id}`);

  app.post(
    '/runners',
    allow('runner', {
      summary: 'Register a runner, or update its registration',
      description: 'Another process of the same name takes the place of the one before, whose leases are lost at once.',
      body: RunnerRegistration,
      response: { 200: Runner, 201: Runner },
      problems: ['runner-present', 'runner-incompatible'],
    }),
    async (request, reply) => {
      const { runner, isNew, undecided } = await runners.register(request.body, request.access);
      await app.queue.decide(undecided);
      return reply
        .code(isNew ? 201 : 200)
        .header('location', `/api/v1/runners/${runner.id}`)
        .send(runner);
    },
  );

  app.post(
    '/runners/:id/heartbeat',
    allow('runner', {
      summary: 'Send a runner’s heartbeat, with what it does',
      params,
      body: RunnerHeartbeat,
      response: { 200: Runner },
      problems: ['runner-replaced'],
    }),
    async (request) => runners.heartbeat(request.params.id, request.body),
  );

  app.get(
    '/runners',
    allow('viewer', { summary: 'List runners', querystring: PageQuery, response: { 200: Page(Runner) } }),
    async (request) => runners.page(sliceOf(request.query)),
  );

  app.get('/runners/:id', allow('viewer', { summary: 'Read a runner', params, response: { 200: Runner } }), async (request) =>
    runnerOf(request.params.id),
  );

  app.delete(
    '/runners/:id',
    allow('admin', {
      summary: 'Delete a runner that is lost or stopped',
      params,
      response: { 204: Type.Null() },
      problems: ['runner-present'],
    }),
    async (request, reply) => {
      await runners.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  const since = () => app.now() - dayMs;

  app.get(
    '/runners/work',
    allow('viewer', { summary: 'Count the rounds of each runner in the last 24 hours', response: { 200: RunnersWork } }),
    async () => {
      const from = since();
      return { since: new Date(from).toISOString(), runners: await runners.workOfAll(from) };
    },
  );

  app.get(
    '/runners/:id/work',
    allow('viewer', {
      summary: 'Read a runner’s work of the last 24 hours',
      params,
      response: { 200: RunnerWork },
    }),
    async (request) => {
      const { id } = await runnerOf(request.params.id);
      const from = since();
      return { since: new Date(from).toISOString(), ...(await runners.workOf(Number(id), from, shownRounds)) };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
