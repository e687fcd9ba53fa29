import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  KnownSite,
  OfferedSite,
  OneSiteStatusQuery,
  Page,
  SiteQuery,
  SiteStatus,
  SiteStatusPage,
  SiteStatusQuery,
  SiteTags,
  SiteTrends,
  trendQuery,
  UsedTag,
} from '@pronghorn/core/schemas';
import { mainMetrics } from '@pronghorn/core/verdict';
import Type, { type Static } from 'typebox';
import { preconditionHeaders } from '../../../plugins/app/revalidation.ts';
import { found } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import type { TrendFilter } from '../../../tables/sites-repository.ts';
import { allow, json, params } from '../../route.ts';

const TrendQuery = Type.Object(trendQuery, { additionalProperties: false });
const sitesAtMost = 20;
const TrendsQuery = Type.Object(
  {
    ...trendQuery,
    search: SiteQuery.properties.search,
    cursor: SiteQuery.properties.cursor,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: sitesAtMost, description: `Sites on a page; default ${sitesAtMost}.` })),
  },
  { additionalProperties: false },
);
const tags = ['sites'];

export type SitesOptions = {
  /** Of a demo origin beside the service. */
  offeredSites: readonly OfferedSite[];
};

/** Sites as they are known over campaigns. */
export default (async (app, { offeredSites }) => {
  const { sites } = app.store;
  const siteOf = async (id: string) => found(await sites.find(rowId(id)), `site ${id}`);

  app.get(
    '/sites',
    allow('viewer', {
      summary: 'List sites, newest first',
      querystring: SiteQuery,
      response: { 200: Page(KnownSite) },
    }),
    async (request) => sites.page(request.query.search ?? null, sliceOf(request.query)),
  );

  app.get(
    '/sites/offered',
    allow('viewer', {
      summary: 'Pages of a demo origin beside the service, to try it on; none where there is no such origin',
      response: { 200: Type.Array(OfferedSite) },
    }),
    async () => [...offeredSites],
  );

  app.get(
    '/sites/status',
    allow('viewer', {
      summary: 'How sites do: newest result, earlier ones, alerts; worst first',
      querystring: SiteStatusQuery,
      response: { 200: SiteStatusPage },
    }),
    async ({ query }) => {
      await app.summariesAreKept();
      const { search = null, tag = null, limit = 50, cursor = null } = query;
      return sites.statusPage({ search, tag, ...shownOf(query) }, limit, cursor);
    },
  );

  app.get('/sites/tags', allow('viewer', { summary: 'List tags of sites', response: { 200: Type.Array(UsedTag) } }), async () =>
    sites.usedTags(),
  );

  app.get(
    '/sites/:id/status',
    allow('viewer', { summary: 'How a site does', params, querystring: OneSiteStatusQuery, response: { 200: SiteStatus } }),
    async ({ params: { id }, query }) => {
      await app.summariesAreKept();
      return found(await sites.statusOf(rowId(id), shownOf(query)), `site ${id}`);
    },
  );

  app.get(
    '/sites/:id/tags',
    allow('viewer', { summary: 'Read the tags of a site', params, response: { 200: SiteTags } }),
    async (request) => ({
      tags: (await siteOf(request.params.id)).tags,
    }),
  );

  app.put(
    '/sites/:id/tags',
    allow('submitter', {
      summary: 'Replace the tags of a site',
      params,
      headers: preconditionHeaders,
      body: SiteTags,
      response: { 200: SiteTags },
    }),
    async (request) => {
      await sites.setTags(request.params.id, request.body, callerOf(request));
      return { tags: (await siteOf(request.params.id)).tags };
    },
  );

  app.get('/sites/:id', allow('viewer', { summary: 'Read a site', params, response: { 200: KnownSite } }), async (request) =>
    siteOf(request.params.id),
  );

  app.get(
    '/sites/:id/trends',
    allow('viewer', {
      summary: 'One metric of a site from campaign to campaign',
      params,
      querystring: TrendQuery,
      response: { 200: SiteTrends },
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const { id, engine } = await siteOf(request.params.id);
      const metric = request.query.metric ?? mainMetrics({ engine })[0] ?? 'onLoad';
      const text = await app.results.trends([rowId(id)], { ...askedOf({ ...request.query, metric }), withIntervals: true });
      return reply.type(json).send(text.slice(1, -1) as never);
    },
  );

  app.get(
    '/trends',
    allow('viewer', {
      summary: 'One metric of several sites from campaign to campaign',
      tags,
      querystring: TrendsQuery,
      response: { 200: Page(SiteTrends) },
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const { search = null, cursor, limit = sitesAtMost } = request.query;
      const { items, nextCursor } = await sites.page(search, sliceOf({ limit, ...(cursor === undefined ? {} : { cursor }) }));
      const ids = items.map(({ id }) => rowId(id));
      const text = await app.results.trends(ids, { ...askedOf(request.query), withIntervals: false });
      return reply.type(json).send(`{"items":${text},"nextCursor":${JSON.stringify(nextCursor)}}` as never);
    },
  );
}) satisfies FastifyPluginAsyncTypebox<SitesOptions>;

const shownOf = ({ days = 30, condition, metric }: OneSiteStatusQuery) => ({
  days,
  condition: condition ?? null,
  metric: metric ?? null,
});

function askedOf({ metric = 'onLoad', campaigns = 100, since, until, ...given }: Static<typeof TrendQuery>) {
  const filter: TrendFilter = {
    condition: given.condition ?? null,
    protocol: given.protocol ?? null,
    view: given.view ?? null,
    branch: given.branch ?? null,
    since: since === undefined ? null : new Date(since).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
  };
  return { metric, filter, campaigns };
}
