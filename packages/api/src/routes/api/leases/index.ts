import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Lease,
  LeaseDiscoveries,
  LeaseDiscoveriesQuery,
  LeaseHeartbeat,
  LeaseReclaim,
  LeaseReclaimed,
  LeaseRelease,
  LeaseRequest,
  LeaseSecrets,
  LeaseSites,
  LinkCheck,
  Problem,
  RoundLinkCheck,
  SiteDiscovery,
  Visit,
  VisitUpload,
} from '@pronghorn/core/schemas';
import Type from 'typebox';
import type { RequestAccess } from '../../../plugins/app/access/access.ts';
import { found, ProblemError } from '../../../problems.ts';

const params = Type.Object({ id: Type.String() });
/** A visit of 10,000 requests with long URLs. */
const visitBodyLimit = 32 * 2 ** 20;

/** A page of a thousand hosts, each with a long Alt-Svc header, and as many broken URLs. */
const discoveryBodyLimit = 8 * 2 ** 20;
/** Of 30 KB each. */
const discoveriesAtOnce = 100;

/** Whose leases may be ended by the name of their runner: an admin everybody's, a runner those of its own token. */
const ownOnly = ({ role, tokenId }: RequestAccess) => (role === 'admin' || tokenId === null ? undefined : tokenId);

/** How runners take rounds, keep them, fill them with link checks and visits, and give them back. */
export default (async (app) => {
  // A lease is used by the token that asked for it, and by an admin's. Before the body is read.
  app.addHook('preParsing', async ({ access, params }) => {
    const { id = '' } = params as { id?: string };
    const [mine, lease] = [ownOnly(access), app.leases.find(id)];
    if (mine === undefined || lease === undefined || lease.tokenId === mine) return;
    throw new ProblemError('forbidden', `Lease ${id} was asked for with another token. Ask with that one, or with an admin's.`);
  });

  app.post(
    '/leases',
    {
      config: { access: 'runner', problems: ['not-found', 'runner-replaced', 'runner-incompatible'] },
      schema: {
        summary: 'Borrow the next round; 204 when there is none for this runner',
        body: LeaseRequest,
        response: { 200: Lease, 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      const lease = await app.queue.lease(request.body, request.access.tokenId, () => reply.raw.destroyed);
      return lease ? reply.send(lease) : reply.code(204).header('retry-after', app.queue.idleSeconds).send(null);
    },
  );

  app.delete(
    '/leases',
    {
      config: { access: 'runner', problems: ['not-found', 'forbidden'] },
      schema: {
        summary: 'Whoever held leases under this name is gone: lose them now',
        querystring: LeaseReclaim,
        response: { 200: LeaseReclaimed, '4xx': Problem },
      },
    },
    async (request) => ({
      lost: await app.queue.reclaim(request.query, ownOnly(request.access)),
    }),
  );

  app.post(
    '/leases/:id/heartbeat',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended'] },
      schema: { summary: 'Keep the round', params, response: { 200: LeaseHeartbeat, '4xx': Problem } },
    },
    async (request) => app.queue.heartbeat(request.params.id),
  );

  const campaignIdOf = (leaseId: string) => {
    const { roundId } = found(app.leases.find(leaseId), `lease ${leaseId}`);
    return app.campaigns.known(String(found(app.rounds.find(roundId), `round ${roundId}`).campaignId)).campaignId;
  };

  app.get(
    '/leases/:id/sites',
    {
      config: { access: 'runner', problems: [] },
      schema: {
        summary: 'All sites of the lease’s campaign, which never change: a runner asks once for each campaign',
        params,
        response: { 200: LeaseSites, '4xx': Problem },
      },
    },
    async (request) => ({ items: app.campaigns.sitesOf(campaignIdOf(request.params.id)) }),
  );

  app.get(
    '/leases/:id/discoveries',
    {
      config: { access: 'runner', problems: [] },
      schema: {
        summary: 'What is known of the campaign’s sites by now, in the order in which it was stored',
        params,
        querystring: LeaseDiscoveriesQuery,
        response: { 200: LeaseDiscoveries, '4xx': Problem },
      },
    },
    async (request) => ({
      items: app.discoveries.after(campaignIdOf(request.params.id), request.query.after, discoveriesAtOnce),
    }),
  );

  app.put(
    '/leases/:id/discoveries/:discoveryId',
    {
      config: { access: 'runner', problems: ['already-different', 'unknown-reference'] },
      bodyLimit: discoveryBodyLimit,
      schema: {
        summary: 'Store what a discovery visit found of a site of the lease’s campaign: 201, or 200 when it was stored before',
        params: Type.Object({ id: Type.String(), discoveryId: Type.String() }),
        body: SiteDiscovery,
        response: { '2xx': SiteDiscovery, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      if (body.id !== params.discoveryId) {
        throw new ProblemError(
          'invalid-request',
          `The discovery's id is ${body.id}, and its path says ${params.discoveryId}; expected the same.`,
        );
      }
      const stored = await app.queue.uploadDiscovery(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(body);
    },
  );

  app.get(
    '/leases/:id/secrets',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended', 'secrets-locked', 'forbidden', 'not-found'] },
      schema: {
        summary: 'The secrets that the leased round’s campaign refers to, for whoever leased it',
        params,
        response: { 200: LeaseSecrets, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await app.queue.heartbeat(id); // of a lease that is over, nothing is told
      const { roundId } = found(app.leases.find(id), `lease ${id}`);
      const round = found(app.rounds.find(roundId), `round ${roundId}`);
      const campaign = found(app.campaigns.findSpec(round.campaignId), `campaign ${round.campaignId}`);
      return reply.header('cache-control', 'no-store').send({ secrets: app.secrets.openedFor(campaign) });
    },
  );

  app.put(
    '/leases/:id/visits/:visitId',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended', 'already-different', 'invalid-visit', 'unknown-reference'] },
      bodyLimit: visitBodyLimit,
      schema: {
        summary: 'Store a visit of the round: 201, or 200 when it was stored before',
        params: Type.Object({ id: Type.String(), visitId: Type.String() }),
        body: VisitUpload,
        response: { '2xx': Visit, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      if (body.id !== params.visitId) {
        throw new ProblemError('invalid-request', `The visit's id is ${body.id}, and its path says ${params.visitId}; expected the same.`);
      }
      const stored = await app.queue.upload(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(found(app.visits.find(body.id), `visit ${body.id}`));
    },
  );

  app.put(
    '/leases/:id/link-checks/:checkId',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended', 'already-different', 'invalid-link-check'] },
      schema: {
        summary: 'Store what the round’s link was measured to do: 201, or 200 when it was stored before',
        params: Type.Object({ id: Type.String(), checkId: Type.String() }),
        body: LinkCheck,
        response: { '2xx': RoundLinkCheck, '4xx': Problem },
      },
    },
    async (request, reply) => {
      const { params, body } = request;
      if (body.id !== params.checkId) {
        throw new ProblemError(
          'invalid-request',
          `The link check's id is ${body.id}, and its path says ${params.checkId}; expected the same.`,
        );
      }
      const stored = await app.queue.uploadLinkCheck(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(found(app.linkChecks.find(body.id), `link check ${body.id}`));
    },
  );

  app.post(
    '/leases/:id/complete',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended', 'round-incomplete'] },
      schema: { summary: 'Finish the round', params, response: { 204: Type.Null(), '4xx': Problem } },
    },
    async (request, reply) => {
      await app.queue.complete(request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/leases/:id/release',
    {
      config: { access: 'runner', problems: ['lease-lost', 'lease-ended'] },
      schema: {
        summary: 'Give the round back unfinished, with a reason',
        params,
        body: LeaseRelease,
        response: { 204: Type.Null(), '4xx': Problem },
      },
    },
    async (request, reply) => {
      await app.queue.release(request.params.id, request.body);
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
