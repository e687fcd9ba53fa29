import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import {
  Page,
  PageQuery,
  Problem,
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
import { withoutRun } from '../../../plugins/app/visits/visit-rows.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const RoundQuery = Type.Object({ ...pageQuery, state: Type.Optional(RoundState) }, { additionalProperties: false });
const VisitQuery = Type.Object(
  {
    ...pageQuery,
    siteId: Type.Optional(Type.String()),
    condition: Type.Optional(Type.String({ description: 'Its name.' })),
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

/** What a campaign consists of. */
export default (async (app) => {
  app.get(
    '/campaigns/:id/rounds',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List rounds in the order of the queue',
        params,
        querystring: RoundQuery,
        response: { 200: Page(Round), '4xx': Problem },
      },
    },
    async (request) =>
      app.rounds.page(app.campaigns.known(request.params.id).campaignId, request.query.state ?? null, sliceOf(request.query)),
  );

  app.get(
    '/campaigns/:id/visits',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List visits in the order of their arrival',
        params,
        querystring: VisitQuery,
        response: { 200: Page(Visit), '4xx': Problem },
      },
    },
    async (request) => {
      const { siteId, condition = null, protocol = null, view = null, verdict = null } = request.query;
      const { roundId, counted, netlog, newest = false } = request.query;
      const filter = {
        ...{ siteId: siteId === undefined ? null : rowId(siteId), condition, protocol, view, verdict },
        roundId: roundId === undefined ? null : rowId(roundId),
        counted: flag(counted),
        netlog: flag(netlog),
      };
      const { items, nextCursor } = app.visits.page(
        app.campaigns.known(request.params.id).campaignId,
        filter,
        sliceOf(request.query),
        newest,
      );
      return { items: items.map(withoutRun), nextCursor };
    },
  );

  app.get(
    '/campaigns/:id/discoveries',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List what discovery visits found',
        params,
        querystring: PageQuery,
        response: { 200: Page(SiteDiscovery), '4xx': Problem },
      },
    },
    async (request) => app.discoveries.page(app.campaigns.known(request.params.id).campaignId, sliceOf(request.query)),
  );

  app.get(
    '/campaigns/:id/link-checks',
    {
      config: { access: 'viewer' },
      schema: {
        summary: 'List what links were measured to do',
        params,
        querystring: LinkCheckQuery,
        response: { 200: Page(RoundLinkCheck), '4xx': Problem },
      },
    },
    async (request) => {
      const { roundId, ...slice } = request.query;
      const round = roundId === undefined ? null : rowId(roundId);
      return app.linkChecks.page(app.campaigns.known(request.params.id).campaignId, round, sliceOf(slice));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;
