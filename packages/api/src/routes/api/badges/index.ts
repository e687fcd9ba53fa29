import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { GateBadgeQuery, GateBadgeRequest, SignedBadge, SiteBadgeQuery, SiteBadgeRequest } from '@pronghorn/core/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { SignedThing } from '../../../plugins/app/badges/badges.ts';
import { addressOf } from '../../../plugins/app/notifications/messages.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

const svg = {
  description: 'image/svg+xml; it needs nothing from elsewhere.',
  content: { 'image/svg+xml': { schema: Type.String() } },
};
const dayMs = 86_400_000;
const defaultDays = 90;
const maxDays = 400;

/** Badges of gates and sites for pages elsewhere: with a token, by an address that is signed, or where reading is public. */
export default (async (app) => {
  const { badges, gates, sites } = app.store;
  const gateOf = async (id: string) => found(await gates.find(id), `gate ${id}`);
  const siteOf = async (id: string) => found(await sites.find(rowId(id)), `site ${id}`);
  const admitsTo =
    (noun: SignedThing['noun']) =>
    ({ url, params }: FastifyRequest) =>
      badges.isSigned(url, { noun, id: rowId((params as { id: string }).id) });
  const [admitsToGate, admitsToSite] = [admitsTo('gate'), admitsTo('site')];

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
      sendBadge(
        request,
        reply,
        await admitsToGate(request),
        await app.badges.ofGate(await gateOf(request.params.id), request.query.branch ?? null),
      ),
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
      const badge = await app.badges.ofSite(await siteOf(request.params.id), { condition, view });
      return sendBadge(request, reply, await admitsToSite(request), badge);
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
      const { id, name } = await gateOf(request.params.id);
      return signed(request, { noun: 'gate', id, name, page: `/#/gates/${id}` }, request.body);
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
      const { id, name } = await siteOf(request.params.id);
      const subject = { noun: 'site', id, name: `HTTP/3 on ${name}`, page: `/#/sites/${id}` } as const;
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

  type Subject = { noun: SignedThing['noun']; id: string; name: string; page: string };

  async function signed(
    request: FastifyRequest,
    { noun, id, name, page }: Subject,
    { expiresAt: wanted, ...query }: GateBadgeRequest & SiteBadgeRequest,
  ): Promise<SignedBadge> {
    const expiresAt = wanted === undefined ? app.now() + defaultDays * dayMs : Date.parse(wanted);
    if (expiresAt <= app.now() || expiresAt > app.now() + maxDays * dayMs) {
      const pointer = [{ pointer: '#/expiresAt', detail: `expected a time in the next ${maxDays} days` }];
      throw new ProblemError('invalid-request', `expiresAt is ${wanted}; expected a time in the next ${maxDays} days.`, pointer);
    }
    const address = await badges.sign({ noun, id: Number(id) }, query, expiresAt, callerOf(request));
    const { publicUrl } = app.settings;
    const url = addressOf(publicUrl, address);
    return {
      url,
      expiresAt: new Date(Math.floor(expiresAt / 1_000) * 1_000).toISOString(),
      markdown: `[![${name.replaceAll(/[\\[\]`<>&]/g, '\\$&').replaceAll(/\s+/g, ' ')}](${url})](${addressOf(publicUrl, page)})`,
    };
  }
}) satisfies FastifyPluginAsyncTypebox;
