import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { CampaignPictureQuery, GateBadgeQuery, SiteBadgeQuery } from '@pronghorn/core/schemas';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { opensPicture } from '../../../plugins/app/public-links/public-links.ts';
import { found } from '../../../shared/problems.ts';
import { rowId } from '../../../storage/page.ts';
import type { LivePublicLink, Opened } from '../../../tables/public-links-repository.ts';
import { allow, params } from '../../route.ts';

const svg = {
  description: 'image/svg+xml; it needs nothing from elsewhere.',
  content: { 'image/svg+xml': { schema: Type.String() } },
};

/** How long anybody may keep a picture. */
const keptS = 60;

/** Badges and cards for pages elsewhere: with a token, by a public link, or where reading is public. */
export default (async (app) => {
  const { gates, publicLinks, sites } = app.store;
  /** The links that requests opened, looked up once: when it is decided who may ask. */
  const opened = new WeakMap<FastifyRequest, LivePublicLink>();
  const admitsBy = (kind: 'card' | 'badge', noun: keyof Opened) => async (request: FastifyRequest) => {
    const { link, ...shows } = request.query as { link?: unknown };
    if (typeof link !== 'string') return false;
    const { id } = request.params as { id: string };
    const live = await publicLinks.findLive(link);
    if (live === undefined || !opensPicture(live, kind, noun, id, shows)) return false;
    opened.set(request, live);
    return true;
  };

  app.get(
    '/gates/:id/badge.svg',
    allow('viewer', {
      summary: 'Read the latest answer of a gate as a badge',
      params,
      querystring: GateBadgeQuery,
      response: { 200: svg },
      admits: admitsBy('badge', 'gateId'),
    }),
    async (request, reply) => {
      const gate = found(await gates.find(request.params.id), `gate ${request.params.id}`);
      return sendPicture(request, reply, await app.badges.ofGate(gate, request.query.branch ?? null));
    },
  );

  app.get(
    '/sites/:id/badge.svg',
    allow('viewer', {
      summary: 'Whether HTTP/3 made a site faster in the last campaign that asked, as a badge',
      params,
      querystring: SiteBadgeQuery,
      response: { 200: svg },
      admits: admitsBy('badge', 'siteId'),
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const { condition = null, view = null } = request.query;
      const site = found(await sites.find(rowId(request.params.id)), `site ${request.params.id}`);
      return sendPicture(request, reply, await app.badges.ofSite(site, { condition, view }));
    },
  );

  app.get(
    '/campaigns/:id/badge.svg',
    allow('viewer', {
      summary: 'Whether HTTP/3 was faster in a campaign, as a badge',
      params,
      querystring: CampaignPictureQuery,
      response: { 200: svg },
      admits: admitsBy('badge', 'campaignId'),
      problems: ['results-busy'],
    }),
    async (request, reply) => sendPicture(request, reply, await app.badges.ofCampaign(request.params.id)),
  );

  app.get(
    '/campaigns/:id/card.svg',
    allow('viewer', {
      summary: 'The result of a campaign as a picture: question, answer, a row for each condition',
      params,
      querystring: CampaignPictureQuery,
      response: { 200: svg },
      admits: admitsBy('card', 'campaignId'),
      problems: ['results-busy'],
    }),
    async (request, reply) => sendPicture(request, reply, await app.badges.cardOf(request.params.id)),
  );

  function sendPicture(request: FastifyRequest, reply: FastifyReply, picture: string): FastifyReply {
    const link = opened.get(request);
    const isForAll = link !== undefined || (request.access.tokenId === null && request.access.role === 'viewer');
    // What everybody may read, any page may show; of the rest its width alone would tell another page the outcome.
    if (isForAll) reply.header('cross-origin-resource-policy', 'cross-origin');
    return reply
      .header(
        'cache-control',
        `${isForAll ? 'public' : 'private'}, max-age=${Math.min(keptS, Math.floor((link?.leftMs ?? Number.POSITIVE_INFINITY) / 1_000))}`,
      )
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .type('image/svg+xml; charset=utf-8')
      .serializer((text: string) => text)
      .send(picture);
  }
}) satisfies FastifyPluginAsyncTypebox;
