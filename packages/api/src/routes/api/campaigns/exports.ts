import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { factorialCsvHeader, factorialCsvLine, isFactorial, visitCsvLine, visitsCsvHeader } from '@pronghorn/core/campaign';
import { Campaign, Protocol, type Resource, RoundLinkCheck, SiteDiscovery, Verdict, View, Visit } from '@pronghorn/core/schemas';
import Type, { type Static } from 'typebox';
import type { VisitFilter, VisitsRepository } from '../../../plugins/app/visits/visits-repository.ts';
import { found, ProblemError } from '../../../problems.ts';
import type { Slice } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';
import { allow, params } from '../route.ts';
import { notFactorial } from './results.ts';

const filters = {
  siteId: Type.Optional(Type.String()),
  condition: Type.Optional(Type.String({ description: 'Name of the condition.' })),
  protocol: Type.Optional(Protocol),
  view: Type.Optional(View),
  verdict: Type.Optional(Verdict),
};
const Filters = Type.Object(filters, { additionalProperties: false });
const NdjsonQuery = Type.Object(
  {
    ...filters,
    resources: Type.Optional(Type.Boolean({ description: 'Whether each visit has its requests in `resources`; default false.' })),
  },
  { additionalProperties: false },
);

const text = (mediaType: string, description: string, schema: Type.TSchema = Type.String()) => ({
  description,
  content: { [mediaType]: { schema } },
});
const WholeCampaign = Type.Object({
  campaign: Campaign,
  discoveries: Type.Array(SiteDiscovery),
  linkChecks: Type.Array(RoundLinkCheck),
  visits: Type.Array(Visit),
});

/** A campaign as a file. Streams: what is sent was just read, and a client that goes away ends the reading. docs/exchange.md. */
export default (async (app) => {
  const open = new Set<Readable>();
  app.addHook('preClose', async () => {
    for (const stream of open) stream.destroy(new Error('The api is being closed.'));
  });
  const streamOf = (texts: AsyncIterable<string>): Readable => {
    const stream = Readable.from(texts, { objectMode: false });
    open.add(stream);
    return stream.once('close', () => open.delete(stream));
  };

  const campaignOf = (id: string) => found(app.campaigns.find(id), `campaign ${id}`);
  const filterOf = ({ siteId, condition, protocol, view, verdict }: Static<typeof Filters>): VisitFilter => ({
    siteId: siteId === undefined ? null : rowId(siteId),
    condition: condition ?? null,
    protocol: protocol ?? null,
    view: view ?? null,
    verdict: verdict ?? null,
  });

  app.get(
    '/campaigns/:id/visits.csv',
    allow('viewer', {
      summary: 'All visits as CSV, a line for each',
      params,
      querystring: Filters,
      response: { 200: text('text/csv', 'RFC 4180, with a line of column names; docs/exchange.md explains them.') },
      exposeHeadRoute: false, // would read the whole campaign for nothing
    }),
    async (request, reply) => {
      const campaign = campaignOf(request.params.id);
      const filter = filterOf(request.query);
      async function* lines() {
        yield visitsCsvHeader;
        for await (const visits of visitPages(app.visits, rowId(campaign.id), filter)) {
          yield visits.map((visit) => visitCsvLine(visit, campaign.sites)).join('');
        }
      }
      return reply
        .header('content-type', 'text/csv; charset=utf-8; header=present')
        .header('content-disposition', `attachment; filename="campaign-${campaign.id}.csv"`)
        .send(streamOf(lines()));
    },
  );

  app.get(
    '/campaigns/:id/factorial.csv',
    allow('viewer', {
      summary: 'The visits of a factorial campaign that count as CSV, a line for each with its levels',
      params,
      response: { 200: text('text/csv', 'RFC 4180, with a line of column names; docs/transactions.md explains them.') },
      problems: ['not-factorial'],
      exposeHeadRoute: false,
    }),
    async (request, reply) => {
      const campaign = campaignOf(request.params.id);
      if (!isFactorial(campaign)) throw new ProblemError('not-factorial', notFactorial(campaign.id));
      async function* lines() {
        yield factorialCsvHeader(campaign);
        for await (const visits of visitPages(app.visits, rowId(campaign.id), filterOf({}))) {
          yield visits.map((visit) => factorialCsvLine(visit, campaign)).join('');
        }
      }
      return reply
        .header('content-type', 'text/csv; charset=utf-8; header=present')
        .header('content-disposition', `attachment; filename="campaign-${campaign.id}-factorial.csv"`)
        .send(streamOf(lines()));
    },
  );

  app.get(
    '/campaigns/:id/visits.ndjson',
    allow('viewer', {
      summary: 'All visits as NDJSON, a line for each, with their requests if asked for',
      params,
      querystring: NdjsonQuery,
      response: { 200: text('application/x-ndjson', 'Each line is a Visit, with `resources` if asked for.') },
      exposeHeadRoute: false,
    }),
    async (request, reply) => {
      const campaign = campaignOf(request.params.id);
      const { resources: withResources = false, ...query } = request.query;
      const resourcesOf = (visit: Visit): Resource[] => app.resources.of(app.visits.findSeq(visit.id) ?? 0);
      async function* lines() {
        for await (const visits of visitPages(app.visits, rowId(campaign.id), filterOf(query), withResources ? 5 : undefined)) {
          if (withResources) for (const visit of visits) yield `${JSON.stringify({ ...visit, resources: resourcesOf(visit) })}\n`;
          else yield visits.map((visit) => `${JSON.stringify(visit)}\n`).join('');
        }
      }
      return reply
        .header('content-type', 'application/x-ndjson')
        .header('content-disposition', `attachment; filename="campaign-${campaign.id}.ndjson"`)
        .send(streamOf(lines()));
    },
  );

  app.get(
    '/campaigns/:id/export.json',
    allow('viewer', {
      summary: 'The campaign with its visits, discoveries and link checks as one JSON document',
      params,
      response: { 200: text('application/json', 'All but results, which are made of it: GET /campaigns/{id}/results.', WholeCampaign) },
      exposeHeadRoute: false,
    }),
    async (request, reply) => {
      const campaign = campaignOf(request.params.id);
      const id = rowId(campaign.id);
      async function* parts() {
        yield `{"campaign":${JSON.stringify(campaign)},"discoveries":[`;
        yield* items(pagesOf((slice) => app.discoveries.page(id, slice)));
        yield '],"linkChecks":[';
        yield* items(pagesOf((slice) => app.linkChecks.page(id, null, slice)));
        yield '],"visits":[';
        yield* items(visitPages(app.visits, id, filterOf({})));
        yield ']}\n';
      }
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="campaign-${campaign.id}.json"`)
        .send(streamOf(parts()));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

async function* pagesOf<Item>(page: (slice: Slice) => { items: Item[]; nextCursor: string | null }): AsyncGenerator<Item[]> {
  for (let cursor: number | null = null; ; ) {
    const { items, nextCursor } = page({ limit: 100, cursor });
    yield items;
    if (nextCursor === null) return;
    cursor = Number(nextCursor);
  }
}

/** The items of a JSON list, without its brackets. */
async function* items(pages: AsyncIterable<unknown[]>): AsyncGenerator<string> {
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => JSON.stringify(item)).join(',\n');
    separator = ',\n';
  }
}

/** So many are read in a few milliseconds. */
const visitsAtOnce = 250;

/**
 * Yields the visits that are there when it begins, in the order of their arrival, and ends soon after the last of them. No read stays open
 * between pages: writers never wait, and the database's log can be cut back. Visits never change; whether one counts may be decided
 * meanwhile.
 *
 * @param atOnce visits of a page, for who does more with each than write it down: between pages whoever else asks is answered.
 */
async function* visitPages(
  visits: VisitsRepository,
  campaignId: number,
  filter: VisitFilter,
  atOnce = visitsAtOnce,
): AsyncGenerator<Visit[]> {
  const newest = visits.newestSeq(campaignId);
  for (let cursor: number | null = null; ; ) {
    const { items, nextCursor } = visits.page(campaignId, filter, { limit: atOnce, cursor });
    if (items.length > 0) yield items;
    cursor = Number(nextCursor);
    if (nextCursor === null || cursor >= newest) return;
    await setImmediate();
  }
}
