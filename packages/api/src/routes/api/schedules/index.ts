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
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency/idempotency.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { completeSchedule, nextTimes, startsFrom } from '../../../plugins/app/schedules/schedule-spec.ts';
import type { ScheduleSpec, StoredSchedule } from '../../../plugins/app/schedules/schedules-repository.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, assertNameFree, campaignBodyLimit, params } from '../route.ts';

const shownStarts = 5;
const shownTimes = 5;

const problems = [...admissionProblems, 'invalid-schedule', 'name-taken'] as const;

/** Schedules: made, listed, changed, paused. */
export default (async (app) => {
  const { now, schedules, scheduler } = app;
  const stored = (id: string) => found(schedules.find(rowId(id)), `schedule ${id}`);
  const toSchedule = ({ id, createdAt, createdBy, spec, next }: StoredSchedule): Schedule => ({
    id: String(id),
    ...spec,
    createdAt,
    createdBy,
    nextRuns: startsFrom(id, spec, next, shownStarts).map(({ startAt }) => new Date(startAt).toISOString()),
    lastStart: schedules.starts(id, { limit: 1, cursor: null }).items[0] ?? null,
  });
  const scheduleOf = (id: string) => toSchedule(stored(id));

  /** @throws ProblemError as completeSchedule, and as admission. */
  async function checked(request: FastifyRequest, body: ScheduleRequest): Promise<ScheduleSpec> {
    const targetExists = (id: string) => app.notifications.targets.find(rowId(id)) !== undefined;
    const gateOf = (gate: string) => app.gates.find(gate) ?? app.gates.findNamed(gate);
    const against = { known: app.conditions.all(), calls: app.calls.policy };
    const spec = completeSchedule(body, {
      ...against,
      targetExists,
      gateOf,
      now: now(),
      minimumIntervalMs: scheduler.minimumIntervalMs,
    });
    await app.admission.admit(spec.campaign, request.access);
    return spec;
  }

  /**
   * Changes what is stored now, by whichever process it was. A start that is due meanwhile belongs to the schedule as it was.
   * @param store stores the change alone. @returns the spec as it is then.
   */
  async function change(
    request: FastifyRequest,
    id: string,
    action: string,
    store: (before: StoredSchedule) => ScheduleSpec,
  ): Promise<Schedule> {
    await app.write(() => {
      const before = stored(id);
      assertOwn(request.access, `Schedule ${id}`, before.createdBy);
      assertInScope(request.access, before.spec.campaign);
      app.assertUnchanged(request, toSchedule(before));
      const spec = store(before);
      const moved = (['cron', 'timeZone', 'jitterSeconds', 'paused'] as const).some((key) => before.spec[key] !== spec[key]);
      if (moved) scheduler.starter.plan({ ...before, spec });
      request.audit(action, id, { name: spec.name });
    });
    scheduler.wake();
    return scheduleOf(id);
  }

  app.get(
    '/schedules',
    allow('viewer', { summary: 'List schedules', querystring: NamedPageQuery, response: { 200: Page(Schedule) } }),
    async (request) => {
      const { items, nextCursor } = schedules.page(sliceOf(request.query), request.query.name ?? null);
      return { items: items.map(toSchedule), nextCursor };
    },
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
      const { name } = request.access;
      const id = await app.once(request, reply, async (note) => {
        const spec = await checked(request, request.body);
        return app.write(() => {
          app.admission.assertScheduleRoom(request.access);
          assertNameFree('schedule', spec.name, schedules.idNamed(spec.name));
          const made = schedules.insert(spec, new Date(now()).toISOString(), name);
          scheduler.starter.plan(stored(String(made)));
          request.audit('schedule.create', made, { name: spec.name });
          note(made);
          return String(made);
        });
      });
      scheduler.wake();
      return reply.code(201).header('location', `/api/v1/schedules/${id}`).send(scheduleOf(id));
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
      const { id } = stored(request.params.id);
      const spec = await checked(request, request.body);
      return change(request, String(id), 'schedule.change', () => {
        assertNameFree('schedule', spec.name, schedules.idNamed(spec.name), id);
        schedules.update(id, spec);
        return spec;
      });
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
      const { id, spec, createdBy } = stored(request.params.id);
      await app.write(() => {
        assertOwn(request.access, `Schedule ${id}`, createdBy);
        assertInScope(request.access, spec.campaign);
        app.assertUnchanged(request, scheduleOf(String(id)));
        schedules.delete(id);
        request.audit('schedule.delete', id, { name: spec.name });
      });
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
        const { id } = stored((request.params as { id: string }).id);
        return change(request, String(id), `schedule.${verb}`, ({ spec }) => {
          schedules.setPaused(id, paused);
          return { ...spec, paused };
        });
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
      const schedule = stored(request.params.id);
      const { name } = request.access;
      const campaignId = await app.once(request, reply, async (note) => {
        await app.admission.admit(schedule.spec.campaign, request.access);
        return scheduler.starter.startNow(schedule, name, (id) => {
          request.audit('schedule.start', schedule.id, { campaignId: String(id) });
          note(id);
        });
      });
      return reply
        .code(201)
        .header('location', `/api/v1/campaigns/${campaignId}`)
        .send(found(app.campaigns.find(campaignId), `campaign ${campaignId}`));
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
    async (request) => schedules.starts(stored(request.params.id).id, sliceOf(request.query)),
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
