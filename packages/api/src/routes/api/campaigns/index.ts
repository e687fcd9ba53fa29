import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Campaign,
  CampaignPreview,
  CampaignQuery,
  CampaignQueue,
  CampaignRequest,
  CampaignSetup,
  CloneRequest,
  ListedCampaign,
  Page,
  problemType,
  QueueDepth,
} from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { creatorOf, type RequestAccess } from '../../../plugins/app/access/access.ts';
import { admissionProblems } from '../../../plugins/app/access/admission.ts';
import { waitQuery } from '../../../plugins/app/campaigns/campaign-changes.ts';
import { idempotencyHeaders } from '../../../plugins/app/idempotency.ts';
import { noPreview } from '../../../plugins/app/preview/preview.ts';
import { explainValidation } from '../../../plugins/app/problems/validation-errors.ts';
import { admitsResultLink, publicCampaign } from '../../../plugins/app/public-links/public-links.ts';
import { defaultCampaignName } from '../../../plugins/app/spec/campaign-spec.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { type CampaignFilter, hasEnded } from '../../../tables/campaigns-repository.ts';
import { allow, campaignBodyLimit, params } from '../../route.ts';
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
  const { campaigns } = app.store;
  const campaignOf = async (id: string) => found(await campaigns.find(id), `campaign ${id}`);
  /** @param detail for the audit log. @returns the id of what was made, by this request or an earlier one with its key. */
  async function create(campaign: CampaignRequest, request: FastifyRequest, reply: FastifyReply, detail = {}): Promise<string> {
    const caller = callerOf(request);
    const before = await app.store.keys.find(caller);
    if (before !== undefined) return reply.made(before);
    await app.admission.admit(campaign, request.access);
    return reply.made(await campaigns.create(campaign, caller, detail));
  }

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
      const id = await create(request.body, request, reply);
      return reply
        .code(201)
        .header('location', `/api/v1/campaigns/${id}`)
        .send(await campaignOf(id));
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
      const { items, nextCursor } = await campaigns.page(filterOf(request), sliceOf(request.query));
      return { items: await app.results.withVerdicts(items), nextCursor };
    },
  );

  app.get(
    '/campaigns/:id',
    allow('viewer', {
      summary: 'Read a campaign with its state, its progress, and its sites, each once',
      params,
      querystring: waitQuery,
      response: { 200: Campaign },
      admits: admitsResultLink,
    }),
    async (request, reply) => {
      const { id } = request.params;
      if (request.access.publicLink !== null) return publicCampaign(await campaignOf(id)); // at once: nobody unknown holds a request
      const { campaignId } = await campaigns.known(id);
      const isOver = async () => {
        const state = await campaigns.stateOf(campaignId);
        return state === undefined || hasEnded(state);
      };
      await app.waitUntilOver({ campaignId, seconds: request.query.wait, isOver }, request, reply);
      // Who polls has its specification and its sites, which may have megabytes, already.
      const moment = found(await campaigns.momentOf(campaignId), `campaign ${id}`);
      return isCurrent(request, reply, `${version} ${moment}`) ? unchanged(reply) : campaignOf(id);
    },
  );

  app.get(
    '/campaigns/:id/setup',
    allow('viewer', {
      summary: 'Read what measured a campaign: browsers, versions, links',
      params,
      response: { 200: CampaignSetup },
      admits: admitsResultLink,
    }),
    async (request) => campaigns.setup(request.params.id),
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
      await campaigns.cancel(request.params.id, callerOf(request));
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
      await app.queue.resume(request.params.id, callerOf(request));
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
      const { spec, sites, priority, location } = await campaignOf(request.params.id);
      const { limits, ...changes } = request.body;
      // Conditions as they were, whole: a stored one may have become another since.
      const circumstances = { priority, ...(location === null ? {} : { location }) };
      const { rounds, maximumRounds, name, ...choices } = spec;
      const clone: CampaignRequest = {
        ...choices,
        // One that was made of its pages' names is made anew: the pages may change.
        ...(name === defaultCampaignName(sites) ? {} : { name }),
        ...(changes.precision === undefined ? { rounds, maximumRounds } : {}),
        sites: sites.map(({ id: _, ...site }) => site),
        ...circumstances,
        ...changes,
        limits: { ...spec.limits, ...limits },
      };
      const id = await create(clone, request, reply, { cloneOf: request.params.id });
      return reply
        .code(201)
        .header('location', `/api/v1/campaigns/${id}`)
        .send(await campaignOf(id));
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
      const caller = callerOf(request);
      await (request.query.purge ? app.campaignDeletion.purge(id, caller) : campaigns.delete(id, caller));
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
      await campaigns.restore(id, callerOf(request));
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
    async (request) => app.store.queue.place(String((await campaigns.known(request.params.id)).campaignId)),
  );

  app.get(
    '/queue',
    allow('viewer', {
      summary: 'Count queued and leased rounds by priority and location',
      tags: ['campaigns'],
      response: { 200: Page(QueueDepth) },
    }),
    async () => ({ items: await app.store.queue.depths(), nextCursor: null }),
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
