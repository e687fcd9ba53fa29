import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GateBadgeQuery, GateBadgeRequest, type KnownSite, SignedBadge, SiteBadgeQuery, SiteBadgeRequest } from '@pronghorn/core/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { found, ProblemError } from '../../../problems.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, params } from '../route.ts';

const svg = {
  description: 'image/svg+xml; it needs nothing from elsewhere.',
  content: { 'image/svg+xml': { schema: Type.String() } },
};
const dayMs = 86_400_000;
const defaultDays = 90;
const maxDays = 400;

/** Badges of gates and sites for pages elsewhere: with a token, by an address that is signed, or where reading is public. */
export default (async (app) => {
  const gateOf = (id: string) => found(app.gates.find(id), `gate ${id}`);
  const siteOf = (id: string) => found(app.sites.find(rowId(id)), `site ${id}`);
  /** Ids of sites are given anew when their last campaign is gone; those of gates never. */
  const ofSite = ({ url, expectStatus }: Pick<KnownSite, 'url' | 'expectStatus'>) => `${url} ${expectStatus}`;
  const admitsToGate = ({ url }: FastifyRequest) => app.signedAddresses.isSigned(url, () => '');
  const admitsToSite = ({ url, params }: FastifyRequest) =>
    app.signedAddresses.isSigned(url, () => {
      const site = app.sites.find(rowId((params as { id: string }).id));
      return site === undefined ? '' : ofSite(site);
    });

  app.get(
    '/gates/:id/badge.svg',
    allow('viewer', {
      summary: 'Read the latest answer of a gate as a badge',
      params,
      querystring: GateBadgeQuery,
      response: { 200: svg },
      admits: admitsToGate,
    }),
    async (request, reply) =>
      sendBadge(request, reply, admitsToGate(request), app.badges.ofGate(gateOf(request.params.id), request.query.branch ?? null)),
  );

  app.get(
    '/sites/:id/badge.svg',
    allow('viewer', {
      summary: 'Whether HTTP/3 made a site faster in the last campaign that asked, as a badge',
      params,
      querystring: SiteBadgeQuery,
      response: { 200: svg },
      admits: admitsToSite,
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const { condition = null, view = null } = request.query;
      return sendBadge(request, reply, admitsToSite(request), await app.badges.ofSite(siteOf(request.params.id), { condition, view }));
    },
  );

  app.post(
    '/gates/:id/badge',
    allow('submitter', {
      summary: 'Make an address of a gate’s badge that needs no token',
      params,
      body: GateBadgeRequest,
      response: { 200: SignedBadge },
    }),
    async (request) => {
      const { id, name } = gateOf(request.params.id);
      return signed(request, { noun: 'gate', of: '', id, name, page: `/#/gates/${id}` }, request.body);
    },
  );

  app.post(
    '/sites/:id/badge',
    allow('submitter', {
      summary: 'Make an address of a site’s badge that needs no token',
      params,
      body: SiteBadgeRequest,
      response: { 200: SignedBadge },
    }),
    async (request) => {
      const site = siteOf(request.params.id);
      const { id, name } = site;
      const subject = { noun: 'site', of: ofSite(site), id, name: `HTTP/3 on ${name}`, page: `/#/trends?site=${id}` } as const;
      return signed(request, subject, request.body);
    },
  );

  function sendBadge(request: FastifyRequest, reply: FastifyReply, isSigned: boolean, badge: string): FastifyReply {
    const isForAll = isSigned || (request.access.tokenId === null && request.access.role === 'viewer');
    // What everybody may read, any page may show; of the rest its width alone would tell another page the outcome.
    if (isForAll) reply.header('cross-origin-resource-policy', 'cross-origin');
    return reply
      .header('cache-control', `${isForAll ? 'public' : 'private'}, max-age=60`)
      .type('image/svg+xml; charset=utf-8')
      .serializer((text: string) => text)
      .send(badge);
  }

  type Subject = { noun: 'gate' | 'site'; of: string; id: string; name: string; page: string };

  async function signed(
    request: FastifyRequest,
    { noun, of, id, name, page }: Subject,
    { expiresAt: wanted, ...query }: GateBadgeRequest & SiteBadgeRequest,
  ): Promise<SignedBadge> {
    const expiresAt = wanted === undefined ? app.now() + defaultDays * dayMs : Date.parse(wanted);
    if (expiresAt <= app.now() || expiresAt > app.now() + maxDays * dayMs) {
      const pointer = [{ pointer: '#/expiresAt', detail: `expected a time in the next ${maxDays} days` }];
      throw new ProblemError('invalid-request', `expiresAt is ${wanted}; expected a time in the next ${maxDays} days.`, pointer);
    }
    const path = `/api/v1/${noun}s/${id}/badge.svg?${new URLSearchParams(query)}`;
    const address = await app.write(() => {
      const detail = { ...query, expiresAt: new Date(expiresAt).toISOString() };
      request.audit(`${noun}.sign-badge`, id, detail);
      return app.signedAddresses.sign(path, of, expiresAt);
    });
    const url = app.notifications.addressOf(address);
    return {
      url,
      expiresAt: new Date(Math.floor(expiresAt / 1_000) * 1_000).toISOString(),
      markdown: `[![${name.replaceAll(/[\\[\]`<>&]/g, '\\$&').replaceAll(/\s+/g, ' ')}](${url})](${app.notifications.addressOf(page)})`,
    };
  }
}) satisfies FastifyPluginAsyncTypebox;
