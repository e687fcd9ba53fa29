import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Gate, GateRequest, NamedPageQuery, Page, Problem } from '@pronghorn/core/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { assertInScope } from '../../../plugins/app/access/scope.ts';
import { assertGate, completingCampaigns } from '../../../plugins/app/gates/gate-question.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { preconditionHeaders, preconditionProblems } from '../../../plugins/app/revalidation.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { campaignBodyLimit } from '../campaigns/body-limit.ts';

const params = Type.Object({ id: Type.String() });
const tags = ['gates'];
const problems = ['invalid-gate', 'invalid-campaign', 'name-taken'] as const;

/** Gates that are stored under a name: made, listed, read, changed, deleted. */
export default (async (app) => {
  const { gates } = app;
  const completing = completingCampaigns(() => app.conditions.all(), app.calls.policy);
  const gateOf = (id: string) => found(gates.find(id), `gate ${id}`);

  function assertMayChange({ access }: FastifyRequest, id: string): void {
    const { createdBy, campaign } = gateOf(id);
    assertOwn(access, `Gate ${id}`, createdBy);
    assertInScope(access, campaign);
  }

  /** @throws ProblemError invalid-gate, invalid-campaign, name-taken. */
  function assertStorable(gate: GateRequest, own?: string): void {
    assertGate(gate, completing);
    const other = gates.findNamed(gate.name);
    if (other === undefined || other.id === own) return;
    const detail = `Gate ${other.id} is called "${gate.name}". Change that one (PUT /api/v1/gates/${other.id}), or take another name.`;
    throw new ProblemError('name-taken', detail);
  }

  /** A schedule whose gate is gone would not start. @param what is done to the gate. @throws ProblemError gate-in-use. */
  function assertUnused(gate: Gate, what: string, byItsId = true): void {
    const schedules = app.schedules.judgedBy(gate.name, byItsId ? gate.id : null);
    if (schedules.length === 0) return;
    const named = schedules.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
    const more = schedules.length > named.length ? ` and ${schedules.length - named.length} more` : '';
    throw new ProblemError(
      'gate-in-use',
      `Gate ${gate.id} (${gate.name}) is named by schedule ${named.join(', ')}${more}. Before it is ${what}, name another one there, or none, by PUT /api/v1/schedules/:id.`,
    );
  }

  app.get(
    '/gates',
    {
      config: { access: 'viewer' },
      schema: { summary: 'List gates', tags, querystring: NamedPageQuery, response: { 200: Page(Gate), '4xx': Problem } },
    },
    async (request) => gates.page(sliceOf(request.query), request.query.name ?? null),
  );

  app.post(
    '/gates',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: [...problems, ...idempotencyProblems] },
      bodyLimit: campaignBodyLimit,
      schema: { summary: 'Store a gate', tags, headers: idempotencyHeaders, body: GateRequest, response: { 201: Gate, '4xx': Problem } },
    },
    async (request, reply) => {
      const { name: by } = request.access;
      assertInScope(request.access, request.body.campaign);
      const id = await app.once(request, reply, (note) =>
        app.write(() => {
          assertStorable(request.body);
          const made = gates.insert(request.body, gates.timeNow(), by);
          app.audit.record({ by, action: 'gate.create', subject: made, detail: { name: request.body.name } });
          note(made);
          return made;
        }),
      );
      return reply.code(201).header('location', `/api/v1/gates/${id}`).send(gateOf(id));
    },
  );

  app.get(
    '/gates/:id',
    { config: { access: 'viewer' }, schema: { summary: 'Read a gate', tags, params, response: { 200: Gate, '4xx': Problem } } },
    async (request) => gateOf(request.params.id),
  );

  app.put(
    '/gates/:id',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: [...problems, ...preconditionProblems, 'gate-in-use'] },
      bodyLimit: campaignBodyLimit,
      schema: {
        summary: 'Change a gate; what it said stays',
        tags,
        params,
        headers: preconditionHeaders,
        body: GateRequest,
        response: { 200: Gate, '4xx': Problem },
      },
    },
    async (request) => {
      const { id } = gateOf(request.params.id);
      assertInScope(request.access, request.body.campaign);
      await app.write(() => {
        const before = gateOf(id);
        assertMayChange(request, id);
        app.assertUnchanged(request, before);
        // Who names it by its id goes on to do so.
        if (before.name !== request.body.name) assertUnused(before, 'called otherwise', false);
        assertStorable(request.body, id);
        gates.update(id, request.body, gates.timeNow());
        app.audit.record({ by: request.access.name, action: 'gate.change', subject: id, detail: { name: request.body.name } });
      });
      return gateOf(id);
    },
  );

  app.delete(
    '/gates/:id',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: [...preconditionProblems, 'gate-in-use'] },
      schema: {
        summary: 'Delete a gate; what it said stays',
        tags,
        params,
        headers: preconditionHeaders,
        response: { 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = gateOf(request.params.id);
      await app.write(() => {
        const gate = gateOf(id);
        const { name } = gate;
        assertMayChange(request, id);
        app.assertUnchanged(request, gate);
        assertUnused(gate, 'deleted');
        gates.delete(id);
        app.audit.record({ by: request.access.name, action: 'gate.delete', subject: id, detail: { name } });
      });
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
