import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  CampaignLogLine,
  Environment,
  logLevels,
  Page,
  PageQuery,
  Protocol,
  pageQuery,
  Round,
  RoundLinkCheck,
  RoundState,
  SiteDiscovery,
  Verdict,
  View,
  Visit,
} from '@pronghorn/core/schemas';
import Type from 'typebox';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { allow, assertSame, params } from '../../route.ts';

const RoundQuery = Type.Object({ ...pageQuery, state: Type.Optional(RoundState) }, { additionalProperties: false });
const VisitQuery = Type.Object(
  {
    ...pageQuery,
    siteId: Type.Optional(Type.String()),
    condition: Type.Optional(Type.String({ description: 'Name of the condition.' })),
    protocol: Type.Optional(Protocol),
    view: Type.Optional(View),
    verdict: Type.Optional(Verdict),
    roundId: Type.Optional(Type.String()),
    counted: Type.Optional(Type.Boolean({ description: 'Whether statistics use it.' })),
    netlog: Type.Optional(Type.Boolean({ description: 'Whether it is an extra visit that recorded a netlog.' })),
    newest: Type.Optional(Type.Boolean({ description: 'Whether the list begins with those that came last; default: first.' })),
  },
  { additionalProperties: false },
);
const LinkCheckQuery = Type.Object({ ...pageQuery, roundId: Type.Optional(Type.String()) }, { additionalProperties: false });

const flag = (asked: boolean | undefined) => (asked === undefined ? null : asked ? (1 as const) : (0 as const));
const LogQuery = Type.Object(
  { ...pageQuery, level: Type.Optional(Type.Enum([...logLevels], { description: 'Only lines of this level.' })) },
  { additionalProperties: false },
);

/** What a campaign consists of: rounds, visits, discoveries, link checks, environments, its log. */
export default (async (app) => {
  const { campaigns, discoveries, environments, linkChecks, log, rounds, visits } = app.store;
  const campaignIdOf = async ({ params }: { params: { id: string } }) => (await campaigns.known(params.id)).campaignId;

  app.get(
    '/campaigns/:id/rounds',
    allow('viewer', {
      summary: 'List rounds in the order of the queue',
      params,
      querystring: RoundQuery,
      response: { 200: Page(Round) },
    }),
    async (request) => rounds.page(await campaignIdOf(request), request.query.state ?? null, sliceOf(request.query)),
  );

  app.get(
    '/campaigns/:id/visits',
    allow('viewer', {
      summary: 'List visits in the order of their arrival',
      params,
      querystring: VisitQuery,
      response: { 200: Page(Visit) },
    }),
    async (request) => {
      const { siteId, condition = null, protocol = null, view = null, verdict = null } = request.query;
      const { roundId, counted, netlog, newest = false } = request.query;
      const filter = {
        ...{ siteId: siteId === undefined ? null : rowId(siteId), condition, protocol, view, verdict },
        roundId: roundId === undefined ? null : rowId(roundId),
        counted: flag(counted),
        netlog: flag(netlog),
      };
      return visits.page(await campaignIdOf(request), filter, sliceOf(request.query), newest);
    },
  );

  app.get(
    '/campaigns/:id/discoveries',
    allow('viewer', {
      summary: 'List discoveries',
      params,
      querystring: PageQuery,
      response: { 200: Page(SiteDiscovery) },
    }),
    async (request) => discoveries.page(await campaignIdOf(request), sliceOf(request.query)),
  );

  app.get(
    '/campaigns/:id/link-checks',
    allow('viewer', {
      summary: 'List link checks',
      params,
      querystring: LinkCheckQuery,
      response: { 200: Page(RoundLinkCheck) },
    }),
    async (request) => {
      const { roundId, ...slice } = request.query;
      const round = roundId === undefined ? null : rowId(roundId);
      return linkChecks.page(await campaignIdOf(request), round, sliceOf(slice));
    },
  );

  app.get(
    '/campaigns/:id/log',
    allow('viewer', {
      summary: 'List the campaign’s log, oldest first',
      params,
      querystring: LogQuery,
      response: { 200: Page(CampaignLogLine) },
    }),
    async (request) => log.page(await campaignIdOf(request), request.query.level ?? null, sliceOf(request.query)),
  );

  app.get(
    '/rounds/:id',
    allow('viewer', { summary: 'Read a round', tags: ['campaigns'], params, response: { 200: Round } }),
    async ({ params: { id } }) => found(await rounds.find(rowId(id)), `round ${id}`),
  );

  app.get('/discoveries/:id', allow('viewer', { summary: 'Read a discovery', params, response: { 200: SiteDiscovery } }), async (request) =>
    found(await discoveries.find(request.params.id), `discovery ${request.params.id}`),
  );

  app.put(
    '/environments/:id',
    allow('runner', {
      summary: 'Store an environment; its id is the hash of its content',
      params,
      body: Environment,
      response: { '2xx': Environment },
      problems: ['already-different'],
    }),
    async (request, reply) => {
      const { body } = request;
      assertSame("environment's id", body.id, request.params.id);
      const stored = await environments.put(body);
      if (stored === 'different') {
        throw new ProblemError(
          'already-different',
          `Another environment is stored as ${body.id}. An environment's id is the hash of its content; make it anew.`,
        );
      }
      return reply.code(stored === 'new' ? 201 : 200).send(body);
    },
  );

  app.get(
    '/environments/:id',
    allow('viewer', { summary: 'Read an environment', params, response: { 200: Environment } }),
    async (request, reply) => {
      const environment = found(await environments.find(request.params.id), `environment ${request.params.id}`);
      reply.header('cache-control', 'private, max-age=31536000, immutable'); // its id is the hash of its content
      return environment;
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
