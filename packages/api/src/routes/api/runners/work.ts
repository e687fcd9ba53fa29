import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, RunnersWork, RunnerWork } from '@pronghorn/core/schemas';
import Type from 'typebox';

const tags = ['runners'];
const dayMs = 86_400_000;
const shownRounds = 20;

/** What runners did in the last 24 hours. */
export default (async (app) => {
  const since = () => app.scheduler.now() - dayMs;

  app.get(
    '/runners/work',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Tell how much each runner did in the last 24 hours', tags, response: { 200: RunnersWork, '4xx': Problem } },
    },
    async () => {
      const from = since();
      return { since: new Date(from).toISOString(), runners: app.runnerWork.all(from) };
    },
  );

  app.get(
    '/runners/:id/work',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'Tell what a runner did in the last 24 hours',
        tags,
        params: Type.Object({ id: Type.String() }),
        response: { 200: RunnerWork, '4xx': Problem },
      },
    },
    async (request) => {
      const { id } = app.runnerRegistry.find(request.params.id);
      const from = since();
      return { since: new Date(from).toISOString(), ...app.runnerWork.of(Number(id), from, shownRounds) };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
