import { createHash } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { isFactorial } from '@pronghorn/core/campaign';
import {
  CampaignAcross,
  CampaignAnswers,
  CampaignComparisonPage,
  CampaignDistributions,
  CampaignFactorial,
  CampaignRegressions,
  CampaignResultsPage,
  CampaignSummary,
  ListedComparison,
  MedianVisits,
  MetricName,
  Page,
  PreviousCampaign,
  Protocol,
  pageQuery,
  VerdictOutcome,
  View,
} from '@pronghorn/core/schemas';
import { lackingMetric } from '@pronghorn/core/text';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { admitsResultLink, publicCaveats } from '../../../plugins/app/public-links/public-links.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { allow, json, params } from '../../route.ts';

const metric = Type.Optional(MetricName);
const cell = {
  siteId: Type.Optional(Type.String()),
  condition: Type.Optional(Type.String({ description: 'Name of the condition.' })),
  view: Type.Optional(View),
};
const ResultsQuery = Type.Object({ ...pageQuery, ...cell }, { additionalProperties: false });
const AcrossQuery = Type.Object({ metric }, { additionalProperties: false });
const CompareQuery = Type.Object(
  { ...pageQuery, metric, ...cell, differing: Type.Optional(Type.Boolean({ description: 'Only cells in which anything differs.' })) },
  { additionalProperties: false },
);
const DistributionQuery = Type.Object({ metric, ...cell }, { additionalProperties: false });
const MedianQuery = Type.Object(
  { metric, siteId: Type.String(), condition: Type.String({ description: 'Name of the condition.' }), view: View },
  { additionalProperties: false },
);
const ComparisonQuery = Type.Object(
  {
    ...pageQuery,
    ...cell,
    metric,
    candidate: Type.Optional(Protocol),
    baseline: Type.Optional(Protocol),
    verdict: Type.Optional(VerdictOutcome),
    confirmatory: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const tags = ['results'];

/** What came out of a campaign. It is kept as text of JSON, and goes to the client as it is. */
export default (async (app) => {
  const { campaigns } = app.store;
  /** The one that was asked for, or the primary one. @throws ProblemError not-found, and invalid-request for what the campaign does not measure. */
  const metricOf = async (id: string, asked: MetricName | undefined): Promise<MetricName> => {
    const { engine, primaryMetric } = await specOf(id);
    const detail = asked === undefined ? null : lackingMetric(asked, engine);
    if (detail !== null) throw new ProblemError('invalid-request', detail, [{ pointer: 'metric', detail }]);
    return asked ?? primaryMetric;
  };
  /** @throws ProblemError not-found. */
  const specOf = async (id: string) => found(await campaigns.specOf(rowId(id)), `campaign ${id}`).spec;

  app.get(
    '/campaigns/:id/summary',
    allow('viewer', {
      summary: 'Read a campaign at a glance: progress, failures, and the answer to its question in each cell',
      tags,
      params,
      response: { 200: CampaignSummary },
      admits: admitsResultLink,
    }),
    async (request, reply) => {
      const { version, document } = await app.results.summary(rowId(request.params.id));
      if (isCurrent(request, reply, version)) return unchanged(reply);
      if (request.access.publicLink !== null) {
        const summary = app.results.read(document);
        return reply.type(json).send(asJson(JSON.stringify({ ...summary, caveats: publicCaveats(summary.caveats) })));
      }
      const zipped = acceptsGzip(request);
      if (zipped) reply.header('content-encoding', 'gzip');
      return reply
        .header('vary', 'accept-encoding')
        .type(json)
        .send(asJson(zipped ? document : app.results.textOf(document)));
    },
  );

  app.get(
    '/campaigns/:id/answers',
    allow('viewer', {
      summary: 'Read the answer of each site, condition and view on any metric',
      tags,
      params,
      querystring: AcrossQuery,
      response: { 200: CampaignAnswers },
    }),
    async (request, reply) => {
      const asked = await metricOf(request.params.id, request.query.metric);
      const id = rowId(request.params.id);
      if (isCurrent(request, reply, await app.results.version(id), request.url)) return unchanged(reply);
      return app.results.answers(id, asked);
    },
  );

  app.get(
    '/campaigns/:id/median-visits',
    allow('viewer', {
      summary: 'Find the visits nearest the median of each slot of one site, condition and view',
      tags,
      params,
      querystring: MedianQuery,
      response: { 200: MedianVisits },
    }),
    async (request) => {
      const { siteId, condition, view, metric: given } = request.query;
      const asked = await metricOf(request.params.id, given);
      return app.store.visits.nearestMedian(rowId(request.params.id), { siteId: rowId(siteId), condition, view }, asked);
    },
  );

  app.get(
    '/campaigns/:id/results',
    allow('viewer', {
      summary: 'All numbers and comparisons of each site, condition and view',
      tags,
      params,
      querystring: ResultsQuery,
      response: { 200: CampaignResultsPage },
      admits: admitsResultLink,
    }),
    async (request, reply) => {
      const { id } = request.params;
      const { siteId = null, condition = null, view = null, limit, cursor } = request.query;
      // All of a campaign's cells at once may be 20 MB: not for whoever found a link.
      const isWhole = limit === undefined && cursor === undefined && request.access.publicLink === null;
      const slice = isWhole ? null : sliceOf(request.query);
      if (isCurrent(request, reply, await app.results.version(rowId(id)), request.url)) return unchanged(reply);
      const { version, text } = await app.results.open(rowId(id), { siteId, condition, view }, slice);
      tagWith(reply, version, request.url);
      return reply.type(json).send(asJson(text));
    },
  );

  app.get(
    '/campaigns/:id/comparisons',
    allow('viewer', {
      summary: 'List comparisons of protocols with their verdicts',
      tags,
      params,
      querystring: ComparisonQuery,
      response: { 200: Page(ListedComparison) },
      admits: admitsResultLink,
    }),
    async (request, reply) => {
      const { siteId = null, condition = null, view = null, metric = null, candidate = null, baseline = null } = request.query;
      const { verdict: outcome = null, confirmatory } = request.query;
      const filter = { siteId, condition, view, metric, candidate, baseline, outcome };
      const only = confirmatory === undefined ? null : confirmatory ? (1 as const) : (0 as const);
      const slice = sliceOf(request.query);
      const { version, text } = await app.results.comparisons(rowId(request.params.id), { ...filter, confirmatory: only }, slice);
      tagWith(reply, version, request.url);
      return reply.type(json).send(asJson(text));
    },
  );

  app.get(
    '/campaigns/:id/across',
    allow('viewer', {
      summary: 'Read results across all sites of a campaign',
      tags,
      params,
      querystring: AcrossQuery,
      response: { 200: CampaignAcross },
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const asked = await metricOf(request.params.id, request.query.metric);
      return reply.type(json).send(asJson(await app.results.across(rowId(request.params.id), asked)));
    },
  );

  app.get(
    '/campaigns/:id/factorial',
    allow('viewer', {
      summary: 'A factorial campaign: each combination of levels, each factor, and on what the difference between protocols depends',
      tags,
      params,
      querystring: AcrossQuery,
      response: { 200: CampaignFactorial },
      problems: ['not-factorial', 'results-busy'],
    }),
    async (request, reply) => {
      const { id } = request.params;
      if (!isFactorial(found(await campaigns.findSpec(rowId(id)), `campaign ${id}`)))
        throw new ProblemError('not-factorial', notFactorial(id));
      return reply.type(json).send(asJson(await app.results.factorial(rowId(id), await metricOf(id, request.query.metric))));
    },
  );

  app.get(
    '/campaigns/:id/previous',
    allow('viewer', {
      summary: 'Find the earlier campaign to compare with: the last of its schedule, or of the same pages',
      params,
      response: { 200: PreviousCampaign },
    }),
    async (request) => campaigns.previous(request.params.id),
  );

  app.get(
    '/campaigns/:id/compare/:baselineId',
    allow('viewer', {
      summary: 'A campaign against another one: what differs in their setup, in each protocol, and in HTTP/3’s lead',
      tags,
      params: Type.Object({ ...params.properties, baselineId: Type.String() }),
      querystring: CompareQuery,
      response: { 200: CampaignComparisonPage },
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const [campaignId, baselineId] = [rowId(request.params.id), rowId(request.params.baselineId)];
      const { siteId = null, condition = null, view = null } = request.query;
      const asked = await metricOf(request.params.id, request.query.metric);
      const slice = sliceOf(request.query);
      const kept = await app.results.compared({ campaignId, baselineId, metric: asked }, slice.cursor);
      if (isCurrent(request, reply, `${kept.key} ${kept.version}`, request.url)) return unchanged(reply);
      const filter = { siteId, condition, view, differing: request.query.differing ? (1 as const) : (0 as const) };
      return reply.type(json).send(asJson(await app.results.comparedPage(kept, filter, slice)));
    },
  );

  app.get(
    '/campaigns/:id/distributions',
    allow('viewer', {
      summary: 'Read the distribution of one metric in each slot',
      tags,
      params,
      querystring: DistributionQuery,
      response: { 200: CampaignDistributions },
      admits: admitsResultLink,
      problems: ['results-busy'],
    }),
    async (request, reply) => {
      const { metric: given, ...filter } = request.query;
      const asked = await metricOf(request.params.id, given);
      return reply.type(json).send(asJson(await app.results.distributions(rowId(request.params.id), asked, filter)));
    },
  );

  app.get(
    '/campaigns/:id/regressions',
    allow('viewer', {
      summary: 'List regressions against the schedule’s earlier campaigns',
      params,
      response: { 200: CampaignRegressions },
    }),
    async (request) => campaigns.regressions(request.params.id),
  );
}) satisfies FastifyPluginAsyncTypebox;

export const notFactorial = (id: string) =>
  `The sites of campaign ${id} have no levels, so it has no factors. Make a campaign whose sites say which level of each factor they are: "levels": {"method": "GET", "payload": "2 MB"}.`;

/** Text that is JSON of a schema, as far as types go: it was written from an object of that type. */
const asJson = (text: unknown) => text as never;

export const unchanged = (reply: FastifyReply) => reply.code(304).send() as never;

const acceptsGzip = ({ headers }: FastifyRequest) => /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding']?.toString() ?? '');

/** @param of what else decides the content, such as the filters of a list. */
function tagWith(reply: FastifyReply, version: string, of = ''): string {
  const etag = `"${createHash('sha256').update(version).update(of).digest('base64url').slice(0, 22)}"`;
  reply.header('etag', etag);
  return etag;
}

/** Whether the client has what it asks for already. The reply is tagged in any case. */
export function isCurrent(request: FastifyRequest, reply: FastifyReply, version: string, of = ''): boolean {
  return request.headers['if-none-match'] === tagWith(reply, version, of);
}
