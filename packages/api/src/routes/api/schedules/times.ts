import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Problem, ScheduleTimes, ScheduleTimesQuery, scheduleDefaults } from '@pronghorn/core/schemas';
import { nextTimes } from '../../../plugins/app/schedules/schedule-spec.ts';
import { ProblemError } from '../../../problems.ts';

const shownTimes = 5;

/** When a cron expression would be due: asked while it is typed. */
export default (async (app) => {
  const { now, minimumIntervalMs } = app.scheduler;

  app.get(
    '/schedules/times',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'Tell when a cron expression would be due',
        tags: ['schedules'],
        querystring: ScheduleTimesQuery,
        response: { 200: ScheduleTimes, '4xx': Problem },
      },
    },
    async ({ query: { cron, timeZone = scheduleDefaults.timeZone } }) => {
      try {
        const times = nextTimes({ cron, timeZone }, { now: now(), minimumIntervalMs }, shownTimes);
        return { times: times.map((time) => new Date(time).toISOString()), problems: [] };
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return { times: [], problems: error.errors };
      }
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
