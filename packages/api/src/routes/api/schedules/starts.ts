import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Campaign, Page, PageQuery, Problem, ScheduleStart } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { found } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });

/** Starts of schedules: by hand, and what became of all of them. */
export default (async (app) => {
  const { schedules, scheduler } = app;
  const stored = (id: string) => found(schedules.find(rowId(id)), `schedule ${id}`);

  app.post(
    '/schedules/:id/start',
    {
      config: {
        access: 'submitter',
        scopes: ['hosts'],
        problems: [...admissionProblems, ...idempotencyProblems, 'schedule-busy', 'queue-full', 'unknown-reference'],
      },
      schema: {
        summary: 'Start its campaign now',
        tags: ['schedules'],
        params,
        headers: idempotencyHeaders,
        response: { 201: Campaign, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const schedule = stored(request.params.id);
      const { name } = request.access;
      const campaignId = await app.once(request, reply, async (note) => {
        await app.admission.admit(schedule.spec.campaign, request.access);
        return scheduler.starter.startNow(schedule, name, (id) => {
          app.audit.record({ by: name, action: 'schedule.start', subject: String(schedule.id), detail: { campaignId: String(id) } });
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
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What became of its starts, newest first',
        tags: ['schedules'],
        params,
        querystring: PageQuery,
        response: { 200: Page(ScheduleStart), '4xx': Problem },
      },
    },
    async (request) => schedules.starts(stored(request.params.id).id, sliceOf(request.query)),
  );
}) satisfies FastifyPluginAsyncTypebox;
