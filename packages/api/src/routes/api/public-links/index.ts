import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type BadgeQuery, CreatedPublicLink, Page, PublicLink, PublicLinkRequest, pageQuery } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { escaped } from '../../../plugins/app/badges/svg-text.ts';
import { addressOf } from '../../../plugins/app/notifications/messages.ts';
import { publicName } from '../../../plugins/app/public-links/public-links.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, params } from '../../route.ts';

const id = Type.Optional(Type.String());
const PublicLinkQuery = Type.Object({ ...pageQuery, campaignId: id, gateId: id, siteId: id }, { additionalProperties: false });

/** Addresses that open one thing without a token: made, listed, revoked. */
export default (async (app) => {
  const { publicLinks } = app.store;

  app.get(
    '/public-links',
    allow('viewer', {
      summary: 'List public links, newest first, without what opens them',
      querystring: PublicLinkQuery,
      response: { 200: Page(PublicLink) },
    }),
    async ({ query }) => {
      const rowOf = (given: string | undefined) => (given === undefined ? null : rowId(given));
      const of = { campaignId: rowOf(query.campaignId), gateId: rowOf(query.gateId), siteId: rowOf(query.siteId) };
      return publicLinks.page(of, sliceOf(query));
    },
  );

  app.post(
    '/public-links',
    allow('submitter', {
      summary: 'Create an address that opens a result, a card or a badge without a token; it is shown only once',
      body: PublicLinkRequest,
      response: { 201: CreatedPublicLink },
      problems: ['not-found', 'over-limit'],
    }),
    async (request, reply) => {
      const { link, secret } = await publicLinks.create(request.body, callerOf(request));
      const { url, page } = addressesOf(link, secret);
      const name = (await nameOf(link)).replaceAll(/\s+/g, ' ');
      const inMarkdown = name.replaceAll(/[\\[\]`<>&*_]/g, '\\$&');
      const [markdown, html] =
        link.kind === 'result'
          ? [`[${inMarkdown}](${url})`, `<a href="${escaped(url)}">${escaped(name)}</a>`]
          : [`[![${inMarkdown}](${url})](${page})`, `<a href="${escaped(page)}"><img src="${escaped(url)}" alt="${escaped(name)}"></a>`];
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...link, url, markdown, html });
    },
  );

  app.delete(
    '/public-links/:id',
    allow('submitter', { summary: 'Revoke a public link, at once', params, response: { 200: PublicLink } }),
    async (request) => publicLinks.revoke(request.params.id, callerOf(request)),
  );

  /** Behind # it reaches no server, so no log has it; a picture's address can't do without. */
  function addressesOf(link: PublicLink, secret: string): { url: string; page: string } {
    const { publicUrl } = app.settings;
    const { kind, campaignId, gateId, siteId, branch, condition, view } = link;
    if (kind === 'result') return { url: addressOf(publicUrl, `/#/public/${campaignId}/${secret}`), page: '' };
    const [noun, of, page] =
      campaignId !== null
        ? (['campaigns', campaignId, `/#/campaigns/${campaignId}`] as const)
        : gateId !== null
          ? (['gates', gateId, `/#/gates/${gateId}`] as const)
          : (['sites', siteId, `/#/sites/${siteId}`] as const);
    const shows: BadgeQuery = { ...(branch && { branch }), ...(condition && { condition }), ...(view && { view }) };
    const picture = `/api/v1/${noun}/${of}/${kind}.svg?${new URLSearchParams({ ...shows, link: secret })}`;
    return { url: addressOf(publicUrl, picture), page: addressOf(publicUrl, page) };
  }

  /** It is pasted where everybody reads it. */
  async function nameOf({ campaignId, gateId, siteId }: PublicLink): Promise<string> {
    if (gateId !== null) return (await app.store.gates.find(gateId))?.name ?? '';
    const site = siteId === null ? undefined : await app.store.sites.find(rowId(siteId));
    if (site) return `HTTP/3 on ${publicName(site.name, [site])}`;
    const campaign = campaignId === null ? undefined : await app.store.campaigns.find(campaignId);
    return campaign ? publicName(campaign.spec.name, campaign.sites) : '';
  }
}) satisfies FastifyPluginAsyncTypebox;
