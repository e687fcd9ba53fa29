import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Lease,
  LeaseComplete,
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
  RoundLinkCheck,
  SiteDiscovery,
  Visit,
  VisitUpload,
} from '@pronghorn/core/schemas';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { RequestAccess } from '../../../plugins/app/access/access.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { allow, assertSame, params } from '../../route.ts';

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
  const { queue } = app.store;

  // A lease is used by the token that asked for it, and by an admin's. Before the body is read.
  app.addHook('preParsing', async ({ access, params }) => {
    const { id = '' } = params as { id?: string };
    const mine = ownOnly(access);
    const lease = mine === undefined ? undefined : await queue.findLease(id);
    if (lease === undefined || lease.tokenId === mine) return;
    throw new ProblemError('forbidden', `Lease ${id} was asked for with another token. Ask with that one, or with an admin's.`);
  });

  app.post(
    '/leases',
    allow('runner', {
      summary: 'Lease the next round; 204 when there is none for this runner',
      body: LeaseRequest,
      response: { 200: Lease, 204: Type.Null() },
      problems: ['not-found', 'runner-replaced', 'runner-incompatible'],
    }),
    async (request, reply) => {
      const lease = await app.queue.lease(request.body, request.access.tokenId, () => reply.raw.destroyed);
      return lease ? reply.send(lease) : reply.code(204).header('retry-after', app.queue.idleSeconds).send(null);
    },
  );

  app.delete(
    '/leases',
    allow('runner', {
      summary: 'Lose all leases held under a runner’s name: their holder is gone',
      querystring: LeaseReclaim,
      response: { 200: LeaseReclaimed },
      problems: ['not-found', 'forbidden'],
    }),
    async (request) => ({
      lost: await app.queue.reclaim(request.query, ownOnly(request.access)),
    }),
  );

  app.post(
    '/leases/:id/heartbeat',
    allow('runner', {
      summary: 'Extend a lease',
      params,
      response: { 200: LeaseHeartbeat },
      problems: ['lease-lost', 'lease-ended'],
    }),
    async (request) => queue.heartbeat(request.params.id),
  );

  app.get(
    '/leases/:id/sites',
    allow('runner', {
      summary: 'List all sites of the lease’s campaign, which never change: a runner asks once per campaign',
      params,
      response: { 200: LeaseSites },
    }),
    async (request) => ({ items: await queue.sitesOfLease(request.params.id) }),
  );

  app.get(
    '/leases/:id/discoveries',
    allow('runner', {
      summary: 'List the discoveries of the lease’s campaign, in the order of their arrival',
      params,
      querystring: LeaseDiscoveriesQuery,
      response: { 200: LeaseDiscoveries },
    }),
    async (request) => ({
      items: await queue.discoveriesOfLease(request.params.id, request.query.after, discoveriesAtOnce),
    }),
  );

  app.put(
    '/leases/:id/discoveries/:discoveryId',
    allow('runner', {
      summary: 'Store a discovery of a site of the lease’s campaign: 201, or 200 when it was stored before',
      params: Type.Object({ id: Type.String(), discoveryId: Type.String() }),
      body: SiteDiscovery,
      response: { '2xx': SiteDiscovery },
      problems: ['already-different', 'unknown-reference'],
      bodyLimit: discoveryBodyLimit,
    }),
    async (request, reply) => {
      const { params, body } = request;
      assertSame("discovery's id", body.id, params.discoveryId);
      const stored = await queue.uploadDiscovery(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(body);
    },
  );

  app.get(
    '/leases/:id/secrets',
    allow('runner', {
      summary: 'Read the secrets that the leased round’s campaign refers to',
      params,
      response: { 200: LeaseSecrets },
      problems: ['lease-lost', 'lease-ended', 'secrets-locked', 'forbidden', 'not-found'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      await queue.heartbeat(id); // of a lease that is over, nothing is told
      return reply.header('cache-control', 'no-store').send({ secrets: await queue.secretsOfLease(id) });
    },
  );

  app.put(
    '/leases/:id/visits/:visitId',
    allow('runner', {
      summary: 'Store a visit of the round: 201, or 200 when it was stored before',
      params: Type.Object({ id: Type.String(), visitId: Type.String() }),
      body: VisitUpload,
      response: { '2xx': Visit },
      problems: ['lease-lost', 'lease-ended', 'already-different', 'invalid-visit', 'unknown-reference'],
      bodyLimit: visitBodyLimit,
    }),
    async (request, reply) => {
      const { params, body } = request;
      assertSame("visit's id", body.id, params.visitId);
      const stored = await queue.upload(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(found(await app.store.visits.find(body.id), `visit ${body.id}`));
    },
  );

  app.put(
    '/leases/:id/link-checks/:checkId',
    allow('runner', {
      summary: 'Store a link check of the round: 201, or 200 when it was stored before',
      params: Type.Object({ id: Type.String(), checkId: Type.String() }),
      body: LinkCheck,
      response: { '2xx': RoundLinkCheck },
      problems: ['lease-lost', 'lease-ended', 'already-different', 'invalid-link-check'],
    }),
    async (request, reply) => {
      const { params, body } = request;
      assertSame("link check's id", body.id, params.checkId);
      const stored = await queue.uploadLinkCheck(params.id, body);
      return reply.code(stored === 'new' ? 201 : 200).send(found(await queue.findLinkCheck(body.id), `link check ${body.id}`));
    },
  );

  app.post(
    '/leases/:id/complete',
    {
      ...allow('runner', {
        summary: 'Finish the round',
        params,
        body: LeaseComplete,
        response: { 204: Type.Null() },
        problems: ['lease-lost', 'lease-ended', 'round-incomplete'],
      }),
      // Runners of the first release candidate send none.
      preValidation: async (request: FastifyRequest) => {
        request.body ??= {};
      },
    },
    async (request, reply) => {
      await app.queue.complete(request.params.id, request.body);
      return reply.code(204).send(null);
    },
  );

  app.post(
    '/leases/:id/release',
    allow('runner', {
      summary: 'Give the round back unfinished, with a reason',
      params,
      body: LeaseRelease,
      response: { 204: Type.Null() },
      problems: ['lease-lost', 'lease-ended'],
    }),
    async (request, reply) => {
      await app.queue.release(request.params.id, request.body);
      return reply.code(204).send(null);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
