import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { NamedPageQuery, Page, Problem, Schedule, ScheduleRequest } from '@pronghorn/core/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { preconditionHeaders, preconditionProblems } from '../../../plugins/app/revalidation.ts';
import { completeSchedule, startsFrom } from '../../../plugins/app/schedules/schedule-spec.ts';
import type { ScheduleSpec, StoredSchedule } from '../../../plugins/app/schedules/schedules-repository.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { campaignBodyLimit } from '../campaigns/body-limit.ts';

const params = Type.Object({ id: Type.String() });
const shownStarts = 5;

const problems = [...admissionProblems, ...idempotencyProblems, 'invalid-schedule', 'name-taken'] as const;

/** Schedules: made, listed, changed, paused. */
export default (async (app) => {
  const { schedules, scheduler } = app;
  const { now } = scheduler;
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

  /** Part of the transaction that takes the name. @throws ProblemError name-taken. */
  function assertNameFree(name: string, own?: number): void {
    const other = schedules.idNamed(name);
    if (other !== undefined && other !== own) {
      throw new ProblemError(
        'name-taken',
        `Schedule ${other} is called "${name}". Change that one (PUT /api/v1/schedules/${other}), or take another name.`,
      );
    }
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
      app.audit.record({ by: request.access.name, action, subject: id, detail: { name: spec.name } });
    });
    scheduler.wake();
    return scheduleOf(id);
  }

  app.get(
    '/schedules',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List schedules',
        tags: ['schedules'],
        querystring: NamedPageQuery,
        response: { 200: Page(Schedule), '4xx': Problem },
      },
    },
    async (request) => {
      const { items, nextCursor } = schedules.page(sliceOf(request.query), request.query.name ?? null);
      return { items: items.map(toSchedule), nextCursor };
    },
  );

  app.post(
    '/schedules',
    {
      bodyLimit: campaignBodyLimit,
      config: { access: 'submitter', scopes: ['hosts'], problems },
      schema: {
        summary: 'Make a schedule',
        tags: ['schedules'],
        headers: idempotencyHeaders,
        body: ScheduleRequest,
        response: { 201: Schedule, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { name } = request.access;
      const id = await app.once(request, reply, async (note) => {
        const spec = await checked(request, request.body);
        return app.write(() => {
          app.admission.assertScheduleRoom(request.access);
          assertNameFree(spec.name);
          const made = schedules.insert(spec, new Date(now()).toISOString(), name);
          scheduler.starter.plan(stored(String(made)));
          app.audit.record({ by: name, action: 'schedule.create', subject: String(made), detail: { name: spec.name } });
          note(made);
          return String(made);
        });
      });
      scheduler.wake();
      return reply.code(201).header('location', `/api/v1/schedules/${id}`).send(scheduleOf(id));
    },
  );

  app.get(
    '/schedules/:id',
    {
      config: { access: 'viewer' },
      schema: { summary: 'Read a schedule', tags: ['schedules'], params, response: { 200: Schedule, '4xx': Problem } },
    },
    async (request) => scheduleOf(request.params.id),
  );

  app.put(
    '/schedules/:id',
    {
      bodyLimit: campaignBodyLimit,
      config: { access: 'submitter', scopes: ['hosts'], problems: [...problems, ...preconditionProblems] },
      schema: {
        summary: 'Change a schedule',
        tags: ['schedules'],
        params,
        headers: preconditionHeaders,
        body: ScheduleRequest,
        response: { 200: Schedule, '4xx': Problem },
      },
    },
    async (request) => {
      const { id } = stored(request.params.id);
      const spec = await checked(request, request.body);
      return change(request, String(id), 'schedule.change', () => {
        assertNameFree(spec.name, id);
        schedules.update(id, spec);
        return spec;
      });
    },
  );

  app.delete(
    '/schedules/:id',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: preconditionProblems },
      schema: {
        summary: 'Delete a schedule; its campaigns stay',
        tags: ['schedules'],
        params,
        headers: preconditionHeaders,
        response: { 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id, spec, createdBy } = stored(request.params.id);
      await app.write(() => {
        assertOwn(request.access, `Schedule ${id}`, createdBy);
        assertInScope(request.access, spec.campaign);
        app.assertUnchanged(request, scheduleOf(String(id)));
        schedules.delete(id);
        app.audit.record({ by: request.access.name, action: 'schedule.delete', subject: String(id), detail: { name: spec.name } });
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
      {
        config: { access: 'submitter', scopes: ['hosts'] },
        schema: {
          summary: `${paused ? 'Pause' : 'Resume'} a schedule`,
          tags: ['schedules'],
          params,
          response: { 200: Schedule, '4xx': Problem },
        },
      },
      async (request) => {
        const { id } = stored((request.params as { id: string }).id);
        return change(request, String(id), `schedule.${verb}`, ({ spec }) => {
          schedules.setPaused(id, paused);
          return { ...spec, paused };
        });
      },
    );
  }
}) satisfies FastifyPluginAsyncTypebox;
