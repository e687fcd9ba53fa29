import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GateAnswer, GateQuestion, Page, PageQuery, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { creatorOf } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertGateInScope, assertInScope } from '../../../plugins/app/access/scope.ts';
import { completeSpec } from '../../../plugins/app/campaigns/campaign-spec.ts';
import { waitProblems, waitQuery } from '../../../plugins/app/campaigns/campaign-waits.ts';
import { completeQuestion } from '../../../plugins/app/gates/gate-question.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { found } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { campaignBodyLimit } from '../campaigns/body-limit.ts';

const params = Type.Object({ id: Type.String() });
const tags = ['gates'];

/** What gates say: asked of a campaign that is there, or of one that is made for it. */
export default (async (app) => {
  app.post(
    '/gates/check',
    {
      config: {
        access: 'submitter',
        scopes: ['gates', 'hosts'],
        problems: ['not-found', 'invalid-gate', ...admissionProblems, ...idempotencyProblems, 'queue-full'],
      },
      bodyLimit: campaignBodyLimit,
      schema: {
        summary: 'Ask a gate',
        description:
          'Of a campaign that is done, the answer comes at once: 200; of one that was cancelled too, and that is inconclusive. Else the question is ' +
          'stored, and answered when the campaign is done or cancelled: 202, and `GET /campaigns/:id/gates` has the answer then. Asked twice of one ' +
          'campaign, it is one question.',
        tags,
        headers: idempotencyHeaders,
        body: GateQuestion,
        response: { 200: GateAnswer, 202: GateAnswer, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { access } = request;
      const question = completeQuestion(request.body, {
        gateOf: app.gates.find,
        campaignOf: app.campaigns.find,
        completeSpec: (asked) => completeSpec(asked, 0, app.conditions.all(), app.calls.policy),
      });
      const { gate, rules } = question;
      assertGateInScope(access, gate, request.body.campaign);
      assertInScope(access, 'campaign' in question ? app.campaigns.ledBy(rowId(question.campaign.id)) : question.request);
      const asked = { gate, rules, askedBy: access.name };
      if ('campaign' in question) {
        const answer = await app.gates.check({ ...asked, campaignId: rowId(question.campaign.id) });
        return reply.code(answer.result === null ? 202 : 200).send(answer);
      }
      const campaign = { priority: 'ci' as const, ...question.request };
      // Both or neither: a campaign that nobody asks anything of would be measured for nothing.
      const answerId = await app.once(request, reply, async (note) => {
        await app.admission.admit(campaign, access);
        let stored: GateAnswer | undefined;
        const detail = { gate: gate?.name ?? null };
        await app.queue.submit(campaign, creatorOf(access), (campaignId) => {
          stored = app.gates.ask({ ...asked, campaignId });
          app.audit.record({ by: access.name, action: 'campaign.create', subject: String(campaignId), detail });
          note(stored.id);
        });
        return found(stored, 'question').id;
      });
      const answer = found(app.gates.answers.find(answerId), `answer ${answerId}`);
      app.campaigns.known(answer.campaignId); // of a key that came before, it may be deleted
      return reply.code(202).header('location', `/api/v1/campaigns/${answer.campaignId}/gates/${answer.id}`).send(answer);
    },
  );

  app.get(
    '/campaigns/:id/gates',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What gates say of a campaign',
        tags,
        ...{ params, querystring: PageQuery },
        response: { 200: Page(GateAnswer), '4xx': Problem },
      },
    },
    async (request) => {
      return app.gates.answers.ofCampaign(app.campaigns.known(request.params.id).campaignId, sliceOf(request.query));
    },
  );

  app.get(
    '/campaigns/:id/gates/:answerId',
    {
      config: { access: 'viewer', problems: waitProblems },
      schema: {
        summary: 'What one gate says of a campaign, whole',
        tags,
        params: Type.Object({ id: Type.String(), answerId: Type.String() }),
        querystring: waitQuery,
        response: { 200: GateAnswer, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id, answerId } = request.params;
      const { campaignId } = app.campaigns.known(id);
      const answerNow = () => {
        const answer = app.gates.answers.find(answerId);
        return answer?.campaignId === String(campaignId) ? answer : undefined;
      };
      const isOver = () => answerNow()?.checkedAt !== null; // also of one that is gone
      await app.waitUntilOver({ campaignId, seconds: request.query.wait, isOver }, request, reply);
      return found(answerNow(), `answer ${answerId} of campaign ${id}`);
    },
  );

  app.get(
    '/gates/:id/results',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'What a gate said of its campaigns, newest first',
        tags,
        ...{ params, querystring: PageQuery },
        response: { 200: Page(GateAnswer), '4xx': Problem },
      },
    },
    async (request) => {
      const { id } = found(app.gates.find(request.params.id), `gate ${request.params.id}`);
      return app.gates.answers.ofGate(id, sliceOf(request.query));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
