import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Campaign,
  CampaignPreview,
  CampaignQuery,
  CampaignQueue,
  CampaignRequest,
  CloneRequest,
  ListedCampaign,
  Page,
  problemType,
  QueueDepth,
} from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { FastifyError, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertOwn, creatorOf, type RequestAccess } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { assertInScope, assertMadeInScope } from '../../../plugins/app/access/scope.ts';
import { waitQuery } from '../../../plugins/app/campaigns/campaign-changes.ts';
import { type CampaignFilter, hasEnded } from '../../../plugins/app/campaigns/campaigns-repository.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency/idempotency.ts';
import { noPreview } from '../../../plugins/app/preview/preview.ts';
import { explainValidation } from '../../../plugins/app/problems/validation-errors.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, campaignBodyLimit, params } from '../route.ts';
import { isCurrent, unchanged } from './results.ts';

const DeletionQuery = Type.Object(
  {
    purge: Type.Optional(
      Type.Boolean({ description: 'At once and for good, also of one that is deleted already. Default: it can be restored for a week.' }),
    ),
  },
  { additionalProperties: false },
);

/** Campaigns: made, listed, read, cancelled, resumed, cloned, deleted, previewed. */
export default (async (app) => {
  const campaignOf = (id: string) => found(app.campaigns.find(id), `campaign ${id}`);
  const assertMayChange = ({ params, access }: FastifyRequest) => {
    const { id } = params as { id: string };
    const { campaignId } = app.campaigns.known(id);
    assertOwn(access, `Campaign ${id}`, app.campaigns.ownerOf(campaignId));
    assertInScope(access, app.campaigns.ledBy(campaignId));
  };

  app.post(
    '/campaigns',
    allow('submitter', {
      summary: 'Create a campaign: fill in what is left open, plan its rounds in random order, queue them',
      headers: idempotencyHeaders,
      body: CampaignRequest,
      response: { 201: Campaign },
      scopes: ['hosts'],
      problems: [...admissionProblems, 'queue-full'],
      bodyLimit: campaignBodyLimit,
    }),
    async (request, reply) => {
      const id = await app.once(request, reply, async (note) => {
        await app.admission.admit(request.body, request.access);
        return app.queue.submit(request.body, creatorOf(request.access), (campaignId) => {
          request.audit('campaign.create', campaignId);
          note(campaignId);
        });
      });
      return reply.code(201).header('location', `/api/v1/campaigns/${id}`).send(campaignOf(id));
    },
  );

  app.get(
    '/campaigns',
    allow('viewer', {
      summary: 'List campaigns, newest first',
      querystring: CampaignQuery,
      response: { 200: Page(ListedCampaign) },
    }),
    async (request) => {
      const { items, nextCursor } = app.campaigns.page(filterOf(request), sliceOf(request.query));
      return { items: app.results.withVerdicts(items), nextCursor };
    },
  );

  app.get(
    '/campaigns/:id',
    allow('viewer', {
      summary: 'Read a campaign with its state, its progress, and its sites, each once',
      params,
      querystring: waitQuery,
      response: { 200: Campaign },
    }),
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
    allow('submitter', {
      summary: 'Cancel a campaign: remove its queued rounds from the queue; a leased one may finish',
      params,
      response: { 200: Campaign },
      scopes: ['gates', 'hosts'],
    }),
    async (request) => {
      const { access, params } = request;
      assertMayChange(request);
      assertMadeInScope(access, params.id, app.gates.answers.ofCampaign(rowId(params.id), { limit: 1, cursor: null }).items[0]);
      await app.queue.cancel(request.params.id, request.access.name, (campaignId) => request.audit('campaign.cancel', campaignId));
      return campaignOf(request.params.id);
    },
  );

  app.post(
    '/campaigns/:id/resume',
    allow('submitter', {
      summary: 'Resume a cancelled campaign: queue the rounds again that were removed',
      params,
      response: { 200: Campaign },
      scopes: ['hosts'],
      problems: ['queue-full', 'too-many-campaigns'],
    }),
    async (request) => {
      assertMayChange(request);
      if (app.campaigns.known(request.params.id).state === 'cancelled') app.admission.assertRoom(request.access);
      await app.queue.resume(request.params.id, request.access.name, (campaignId) => {
        app.gates.answers.reopen(campaignId);
        request.audit('campaign.resume', campaignId);
      });
      return campaignOf(request.params.id);
    },
  );

  app.post(
    '/campaigns/:id/clone',
    allow('submitter', {
      summary: 'Clone a campaign, with changes',
      params,
      headers: idempotencyHeaders,
      body: CloneRequest,
      response: { 201: Campaign },
      scopes: ['hosts'],
      problems: [...admissionProblems, 'queue-full'],
      bodyLimit: campaignBodyLimit,
    }),
    async (request, reply) => {
      const { spec, sites, priority, location } = campaignOf(request.params.id);
      const { limits, ...changes } = request.body;
      // Conditions as they were, whole: a stored one may have become another since.
      const circumstances = { priority, ...(location === null ? {} : { location }) };
      const clone: CampaignRequest = {
        ...spec,
        sites: sites.map(({ id: _, ...site }) => site),
        ...circumstances,
        ...changes,
        limits: { ...spec.limits, ...limits },
      };
      const detail = { cloneOf: request.params.id };
      const id = await app.once(request, reply, async (note) => {
        await app.admission.admit(clone, request.access);
        return app.queue.submit(clone, creatorOf(request.access), (campaignId) => {
          request.audit('campaign.create', campaignId, detail);
          note(campaignId);
        });
      });
      return reply.code(201).header('location', `/api/v1/campaigns/${id}`).send(campaignOf(id));
    },
  );

  app.delete(
    '/campaigns/:id',
    allow('submitter', {
      summary: 'Delete a campaign that is done or cancelled, with all its measurements; it can be restored for a week',
      params,
      querystring: DeletionQuery,
      response: { 204: Type.Null() },
      scopes: ['hosts'],
      problems: ['campaign-active'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { purge = false } = request.query;
      const campaignId = purge && app.campaigns.isDeleted(rowId(id)) ? rowId(id) : app.campaigns.known(id).campaignId;
      assertOwn(request.access, `Campaign ${id}`, app.campaigns.ownerOf(campaignId));
      assertInScope(request.access, app.campaigns.ledBy(campaignId));
      const record = () => request.audit(purge ? 'campaign.purge' : 'campaign.delete', id);
      await (purge ? app.campaignDeletion.purge(id, record) : app.campaignDeletion.begin(id, record));
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/campaigns/:id/restore',
    allow('submitter', {
      summary: 'Restore a campaign that was deleted within the last week, with all its measurements',
      params,
      response: { 200: Campaign },
    }),
    async (request) => {
      const { id } = request.params;
      if (app.campaigns.isDeleted(rowId(id))) {
        assertOwn(request.access, `Campaign ${id}`, app.campaigns.ownerOf(rowId(id)));
        await app.campaignDeletion.restore(id, () => request.audit('campaign.restore', id));
      }
      return campaignOf(id);
    },
  );

  app.post(
    '/campaigns/preview',
    allow('submitter', {
      summary: 'Preview a campaign without creating it: its problems, duration and the difference it can detect',
      body: CampaignRequest,
      response: { 200: CampaignPreview },
      scopes: ['hosts'],
      problems: ['results-busy'],
      bodyLimit: campaignBodyLimit,
      attachValidation: true, // problems are an answer here: the campaign is still being typed
    }),
    async (request) => {
      const { body, validationError, access } = request;
      if (!validationError) return app.preview(body, access);
      if (body === undefined || body === null) throw validationError; // nobody types that
      const { errors, kind } = explainValidation(validationError as FastifyError, request);
      return { ...noPreview, problems: errors.map((error) => ({ ...error, type: problemType(kind) })) };
    },
  );

  app.get(
    '/campaigns/:id/queue',
    allow('viewer', {
      summary: 'Read a campaign’s place in the queue, and when it will be done',
      params,
      response: { 200: CampaignQueue },
    }),
    async (request) => app.queue.place(String(app.campaigns.known(request.params.id).campaignId)),
  );

  app.get(
    '/queue',
    allow('viewer', {
      summary: 'Count queued and leased rounds by priority and location',
      tags: ['campaigns'],
      response: { 200: Page(QueueDepth) },
    }),
    async () => ({ items: await app.queue.depths(), nextCursor: null }),
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
