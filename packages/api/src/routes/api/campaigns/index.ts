import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Campaign, CampaignQuery, CampaignRequest, ListedCampaign, Page, Problem } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertOwn, creatorOf, type RequestAccess } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertInScope, assertMadeInScope } from '../../../plugins/app/access/scope.ts';
import { waitProblems, waitQuery } from '../../../plugins/app/campaigns/campaign-waits.ts';
import { type CampaignFilter, hasEnded } from '../../../plugins/app/campaigns/campaigns-repository.ts';
import { idempotencyHeaders, idempotencyProblems } from '../../../plugins/app/idempotency/idempotency.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { campaignBodyLimit } from './body-limit.ts';
import { isCurrent, unchanged } from './results.ts';

const params = Type.Object({ id: Type.String() });

/** Campaigns: made, listed, read, cancelled, resumed. */
export default (async (app) => {
  const campaignOf = (id: string) => found(app.campaigns.find(id), `campaign ${id}`);
  const assertMayChange = ({ params, access }: FastifyRequest) => {
    const { id } = params as { id: string };
    const { campaignId } = app.campaigns.known(id);
    assertOwn(access, `Campaign ${id}`, app.campaigns.ownerOf(campaignId));
    assertInScope(access, app.campaigns.ledBy(campaignId));
  };
  const audited = (request: FastifyRequest, action: string) => (campaignId: number) =>
    app.audit.record({ by: request.access.name, action, subject: String(campaignId) });

  app.post(
    '/campaigns',
    {
      config: {
        access: 'submitter',
        scopes: ['hosts'],
        problems: [...admissionProblems, ...idempotencyProblems, 'queue-full'],
      },
      bodyLimit: campaignBodyLimit,
      schema: {
        summary: 'Make a campaign: fill in what is left open, plan its rounds in random order, queue them',
        headers: idempotencyHeaders,
        body: CampaignRequest,
        response: { 201: Campaign, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const id = await app.once(request, reply, async (note) => {
        await app.admission.admit(request.body, request.access);
        return app.queue.submit(request.body, creatorOf(request.access), (campaignId) => {
          audited(request, 'campaign.create')(campaignId);
          note(campaignId);
        });
      });
      return reply.code(201).header('location', `/api/v1/campaigns/${id}`).send(campaignOf(id));
    },
  );

  app.get(
    '/campaigns',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List campaigns, newest first',
        querystring: CampaignQuery,
        response: { 200: Page(ListedCampaign), '4xx': Problem },
      },
    },
    async (request) => {
      const { items, nextCursor } = app.campaigns.page(filterOf(request), sliceOf(request.query));
      return { items: app.results.withVerdicts(items), nextCursor };
    },
  );

  app.get(
    '/campaigns/:id',
    {
      config: { access: 'viewer', problems: waitProblems },
      schema: {
        summary: 'Read a campaign with its state, its progress, and its sites, each once',
        params,
        querystring: waitQuery,
        response: { 200: Campaign, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { campaignId } = app.campaigns.known(id);
      const isOver = () => {
        const state = app.campaigns.stateOf(campaignId);
        return state === undefined || hasEnded(state);
      };
      await app.waitUntilOver({ campaignId, seconds: request.query.wait, isOver }, request, reply);
      // Who polls has its specification and its sites, which may have megabytes, already.
      const moment = found(app.campaigns.momentOf(campaignId), `campaign ${id}`);
      return isCurrent(request, reply, `${version} ${moment}`) ? unchanged(reply) : campaignOf(id);
    },
  );

  app.post(
    '/campaigns/:id/cancel',
    {
      config: { access: 'submitter', scopes: ['gates', 'hosts'] },
      schema: {
        summary: 'Take its queued rounds out of the queue; a leased one may finish',
        params,
        response: { 200: Campaign, '4xx': Problem },
      },
    },
    async (request) => {
      const { access, params } = request;
      assertMayChange(request);
      assertMadeInScope(access, params.id, app.gates.answers.ofCampaign(rowId(params.id), { limit: 1, cursor: null }).items[0]);
      await app.queue.cancel(request.params.id, request.access.name, audited(request, 'campaign.cancel'));
      return campaignOf(request.params.id);
    },
  );

  app.post(
    '/campaigns/:id/resume',
    {
      config: { access: 'submitter', scopes: ['hosts'], problems: ['queue-full', 'too-many-campaigns'] },
      schema: { summary: 'Put back what cancelling took out', params, response: { 200: Campaign, '4xx': Problem } },
    },
    async (request) => {
      assertMayChange(request);
      if (app.campaigns.known(request.params.id).state === 'cancelled') app.admission.assertRoom(request.access);
      await app.queue.resume(request.params.id, request.access.name, (campaignId) => {
        app.gates.answers.reopen(campaignId);
        audited(request, 'campaign.resume')(campaignId);
      });
      return campaignOf(request.params.id);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

/** Whose campaigns are asked for. @throws ProblemError invalid-request, unauthenticated. */
function creatorAsked({ query: { createdBy, mine }, access }: Listing): Pick<CampaignFilter, 'createdBy' | 'createdByKind'> {
  if (mine !== true) return { createdBy: createdBy ?? null, createdByKind: null };
  if (createdBy !== undefined) throw new ProblemError('invalid-request', 'Both createdBy and mine are given; expected one of them.');
  const creator = creatorOf(access);
  if (creator === null && access.role !== 'admin') {
    throw new ProblemError(
      'unauthenticated',
      'mine=true asks for what a token made, and none was sent. Send one, or name it by createdBy.',
    );
  }
  return { createdBy: creator?.name ?? null, createdByKind: creator?.kind ?? 'owner' };
}

type Listing = { query: CampaignQuery; access: RequestAccess };

const filterOf = ({ query: { siteId, since, until, ...given }, access }: Listing): CampaignFilter => ({
  state: given.state ?? null,
  siteId: siteId === undefined ? null : rowId(siteId),
  url: given.url ?? null,
  search: given.search ?? null,
  branch: given.branch ?? null,
  commit: given.commit ?? null,
  priority: given.priority ?? null,
  ...creatorAsked({ query: given, access }),
  since: since === undefined ? null : new Date(since).toISOString(),
  until: until === undefined ? null : new Date(until).toISOString(),
});
