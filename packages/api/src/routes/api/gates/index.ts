import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { assertionsOf, tooFewRounds } from '@pronghorn/core/campaign';
import {
  type AssertionRequest,
  Gate,
  GateAnswer,
  GateDraft,
  GateQuestion,
  GateRequest,
  NamedPageQuery,
  Page,
  PageQuery,
  ReadRules,
} from '@pronghorn/core/schemas';
import { describeAssertion } from '@pronghorn/core/text';
import { plannedRounds } from '@pronghorn/core/verdict';
import Type from 'typebox';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';
import { waitQuery } from '../../../plugins/app/campaigns/campaign-changes.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency.ts';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, campaignBodyLimit, params } from '../../route.ts';

const problems = ['invalid-gate', 'invalid-campaign', 'name-taken'] as const;
const tags = ['gates'];

/** Gates: stored under a name, and asked of a campaign that is there, or of one that is made for it. */
export default (async (app) => {
  const { gates, campaigns } = app.store;
  const gateOf = async (id: string) => found(await gates.find(id), `gate ${id}`);

  app.get(
    '/gates',
    allow('viewer', { summary: 'List gates', querystring: NamedPageQuery, response: { 200: Page(Gate) } }),
    async (request) => gates.page(sliceOf(request.query), request.query.name ?? null),
  );

  app.post(
    '/gates',
    allow('submitter', {
      summary: 'Store a gate',
      headers: idempotencyHeaders,
      body: GateRequest,
      response: { 201: Gate },
      scopes: ['hosts'],
      problems: [...problems],
      bodyLimit: campaignBodyLimit,
    }),
    async (request, reply) => {
      assertInScope(request.access, request.body.campaign);
      const id = reply.made(await gates.create(request.body, callerOf(request)));
      return reply
        .code(201)
        .header('location', `/api/v1/gates/${id}`)
        .send(await gateOf(id));
    },
  );

  app.get('/gates/:id', allow('viewer', { summary: 'Read a gate', params, response: { 200: Gate } }), async (request) =>
    gateOf(request.params.id),
  );

  app.put(
    '/gates/:id',
    allow('submitter', {
      summary: 'Change a gate; its answers stay',
      params,
      headers: preconditionHeaders,
      body: GateRequest,
      response: { 200: Gate },
      scopes: ['hosts'],
      problems: [...problems, 'gate-in-use'],
      bodyLimit: campaignBodyLimit,
    }),
    async (request) => {
      const { id } = await gateOf(request.params.id);
      assertInScope(request.access, request.body.campaign);
      await gates.change(id, request.body, callerOf(request));
      return gateOf(id);
    },
  );

  app.delete(
    '/gates/:id',
    allow('submitter', {
      summary: 'Delete a gate; its answers stay',
      params,
      headers: preconditionHeaders,
      response: { 204: Type.Null() },
      scopes: ['hosts'],
      problems: ['gate-in-use'],
    }),
    async (request, reply) => {
      await gates.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/gates/check',
    allow('submitter', {
      summary: 'Ask a gate',
      description:
        'Of a campaign that is done, the answer comes at once: 200; of one that was cancelled too, and that is inconclusive. Else the question is ' +
        'stored, and answered when the campaign is done or cancelled: 202, and `GET /campaigns/:id/gates` has the answer then. Asked twice of one ' +
        'campaign, it is one question.',
      headers: idempotencyHeaders,
      body: GateQuestion,
      response: { 200: GateAnswer, 202: GateAnswer },
      scopes: ['gates', 'hosts'],
      problems: ['not-found', 'invalid-gate', ...admissionProblems, 'queue-full'],
      bodyLimit: campaignBodyLimit,
    }),
    async (request, reply) => {
      const { access } = request;
      const question = await gates.completeQuestion(request.body, access);
      const { gate, rules } = question;
      const asked = { gate, rules, askedBy: access.name };
      if ('campaign' in question) {
        const answer = await app.gates.check({ ...asked, campaignId: rowId(question.campaign.id) });
        return reply.code(answer.result === null ? 202 : 200).send(answer);
      }
      const campaign = { priority: 'ci' as const, ...question.request };
      const caller = callerOf(request);
      const before = await app.store.keys.find(caller);
      if (before === undefined) await app.admission.admit(campaign, access);
      const answerId = reply.made(before ?? (await gates.askOfNew(campaign, asked, caller)));
      const answer = found(await gates.findAnswer(answerId), `answer ${answerId}`);
      await campaigns.known(answer.campaignId); // of a key that came before, it may be deleted
      return reply.code(202).header('location', `/api/v1/campaigns/${answer.campaignId}/gates/${answer.id}`).send(answer);
    },
  );

  app.get(
    '/campaigns/:id/gates',
    allow('viewer', {
      summary: 'List the gate answers of a campaign',
      tags,
      params,
      querystring: PageQuery,
      response: { 200: Page(GateAnswer) },
    }),
    async (request) => gates.answersOfCampaign((await campaigns.known(request.params.id)).campaignId, sliceOf(request.query)),
  );

  app.get(
    '/campaigns/:id/gates/:answerId',
    allow('viewer', {
      summary: 'Read one gate answer of a campaign in full',
      tags,
      params: Type.Object({ id: Type.String(), answerId: Type.String() }),
      querystring: waitQuery,
      response: { 200: GateAnswer },
    }),
    async (request, reply) => {
      const { id, answerId } = request.params;
      const { campaignId } = await campaigns.known(id);
      const answerNow = async () => {
        const answer = await gates.findAnswer(answerId);
        return answer?.campaignId === String(campaignId) ? answer : undefined;
      };
      const isOver = async () => (await answerNow())?.checkedAt !== null; // also of one that is gone
      await app.waitUntilOver({ campaignId, seconds: request.query.wait, isOver }, request, reply);
      return found(await answerNow(), `answer ${answerId} of campaign ${id}`);
    },
  );

  app.get(
    '/gates/:id/results',
    allow('viewer', {
      summary: 'List the answers of a gate, newest first',
      params,
      querystring: PageQuery,
      response: { 200: Page(GateAnswer) },
    }),
    async (request) => {
      const { id } = await gateOf(request.params.id);
      return gates.answersOfGate(id, sliceOf(request.query));
    },
  );

  app.post(
    '/gates/read',
    allow('viewer', {
      summary: 'Read and check what a gate would assert; nothing is stored',
      body: GateDraft,
      response: { 200: ReadRules },
      bodyLimit: campaignBodyLimit,
    }),
    async ({ body: { rules, campaign }, body }): Promise<ReadRules> => {
      const problems = await gates.problemsOf(body);
      const isReadable = problems.length === 0 && campaign !== null;
      const warnings = isReadable ? tooFewRounds(rules, plannedRounds(campaign, campaign.sites.length)) : [];
      return { assertions: rules.assertions.map(readOne), problems, warnings };
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

/** Null where it can't be read: the problems say why. */
function readOne(request: AssertionRequest): ReadRules['assertions'][number] {
  try {
    const [assertion] = assertionsOf({ assertions: [request] });
    return assertion === undefined ? null : { assertion, line: describeAssertion(assertion) };
  } catch {
    return null;
  }
}
