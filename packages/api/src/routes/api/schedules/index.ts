import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Campaign,
  NamedPageQuery,
  Page,
  PageQuery,
  Schedule,
  ScheduleRequest,
  ScheduleStart,
  ScheduleTimes,
  ScheduleTimesQuery,
  scheduleDefaults,
} from '@pronghorn/core/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { completeSchedule, nextTimes } from '../../../plugins/app/schedules/schedule-spec.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import type { ScheduleSpec } from '../../../tables/schedules-repository.ts';
import { allow, campaignBodyLimit, params } from '../../route.ts';

const shownTimes = 5;

const problems = [...admissionProblems, 'invalid-schedule', 'name-taken'] as const;

/** Schedules: made, listed, changed, paused. */
export default (async (app) => {
  const { now, scheduler } = app;
  const { schedules, gates, notifications, conditions } = app.store;
  const scheduleOf = async (id: string) => found(await schedules.find(id), `schedule ${id}`);

  /** @throws ProblemError as completeSchedule, and as admission. */
  async function checked(request: FastifyRequest, body: ScheduleRequest): Promise<ScheduleSpec> {
    const [known, targets, gate] = await Promise.all([
      conditions.all(),
      notifications.exist(body.notifications ?? []),
      body.gate == null ? undefined : gates.findByIdOrName(body.gate),
    ]);
    const spec = completeSchedule(body, {
      ...{ known, calls: app.settings.calls, now: now(), minimumIntervalMs: scheduler.minimumIntervalMs },
      targetExists: (id) => targets.includes(id),
      gateOf: () => gate,
    });
    await app.admission.admit(spec.campaign, request.access);
    return spec;
  }

  app.get(
    '/schedules',
    allow('viewer', { summary: 'List schedules', querystring: NamedPageQuery, response: { 200: Page(Schedule) } }),
    async (request) => schedules.page(sliceOf(request.query), request.query.name ?? null),
  );

  app.post(
    '/schedules',
    allow('submitter', {
      summary: 'Create a schedule',
      headers: idempotencyHeaders,
      body: ScheduleRequest,
      response: { 201: Schedule },
      scopes: ['hosts'],
      problems,
      bodyLimit: campaignBodyLimit,
    }),
    async (request, reply) => {
      const caller = callerOf(request);
      const before = await app.store.keys.find(caller);
      const id = reply.made(before ?? (await schedules.create(await checked(request, request.body), caller)));
      return reply
        .code(201)
        .header('location', `/api/v1/schedules/${id}`)
        .send(await scheduleOf(id));
    },
  );

  app.get('/schedules/:id', allow('viewer', { summary: 'Read a schedule', params, response: { 200: Schedule } }), async (request) =>
    scheduleOf(request.params.id),
  );

  app.put(
    '/schedules/:id',
    allow('submitter', {
      summary: 'Change a schedule',
      params,
      headers: preconditionHeaders,
      body: ScheduleRequest,
      response: { 200: Schedule },
      scopes: ['hosts'],
      problems: [...problems],
      bodyLimit: campaignBodyLimit,
    }),
    async (request) => {
      const { id } = await scheduleOf(request.params.id);
      await schedules.change(id, await checked(request, request.body), callerOf(request));
      return scheduleOf(id);
    },
  );

  app.delete(
    '/schedules/:id',
    allow('submitter', {
      summary: 'Delete a schedule; its campaigns stay',
      params,
      headers: preconditionHeaders,
      response: { 204: Type.Null() },
      scopes: ['hosts'],
    }),
    async (request, reply) => {
      await schedules.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  for (const [verb, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    app.post(
      `/schedules/:id/${verb}`,
      allow('submitter', {
        summary: `${paused ? 'Pause' : 'Resume'} a schedule`,
        params,
        response: { 200: Schedule },
        scopes: ['hosts'],
      }),
      async (request) => {
        const { id } = request.params as { id: string };
        await schedules.setPaused(id, paused, callerOf(request));
        return scheduleOf(id);
      },
    );
  }

  app.post(
    '/schedules/:id/start',
    allow('submitter', {
      summary: 'Start a schedule’s campaign now',
      params,
      headers: idempotencyHeaders,
      response: { 201: Campaign },
      scopes: ['hosts'],
      problems: [...admissionProblems, 'schedule-busy', 'queue-full', 'unknown-reference'],
    }),
    async (request, reply) => {
      const { id, campaign } = await scheduleOf(request.params.id);
      const caller = callerOf(request);
      const before = await app.store.keys.find(caller);
      if (before === undefined) await app.admission.admit(campaign, request.access);
      const campaignId = reply.made(before ?? (await schedules.startNow(id, caller)));
      return reply
        .code(201)
        .header('location', `/api/v1/campaigns/${campaignId}`)
        .send(found(await app.store.campaigns.find(campaignId), `campaign ${campaignId}`));
    },
  );

  app.get(
    '/schedules/:id/starts',
    allow('viewer', {
      summary: 'List the starts of a schedule, newest first',
      params,
      querystring: PageQuery,
      response: { 200: Page(ScheduleStart) },
    }),
    async (request) => schedules.starts(Number((await scheduleOf(request.params.id)).id), sliceOf(request.query)),
  );

  app.get(
    '/schedules/times',
    allow('viewer', {
      summary: 'List when a cron expression would be due',
      querystring: ScheduleTimesQuery,
      response: { 200: ScheduleTimes },
    }),
    async ({ query: { cron, timeZone = scheduleDefaults.timeZone } }) => {
      try {
        const times = nextTimes({ cron, timeZone }, { now: now(), minimumIntervalMs: scheduler.minimumIntervalMs }, shownTimes);
        return { times: times.map((time) => new Date(time).toISOString()), problems: [] };
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        return { times: [], problems: error.errors };
      }
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
