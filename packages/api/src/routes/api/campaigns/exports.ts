import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { factorialCsvHeader, factorialCsvLine, isFactorial, visitCsvLine, visitsCsvHeader } from '@pronghorn/core/campaign';
import { Campaign, Caveats, type Page, Protocol, RoundLinkCheck, SiteDiscovery, Verdict, View, Visit } from '@pronghorn/core/schemas';
import Type, { type Static } from 'typebox';
import type { ExportedVisit, ExportPlace } from '../../../plugins/app/visits/visit-reads.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, type Slice } from '../../../storage/page.ts';
import type { Store } from '../../../store/store.ts';
import type { VisitFilter } from '../../../tables/visits-repository.ts';
import { allow, params } from '../../route.ts';
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
  caveats: Caveats,
  discoveries: Type.Array(SiteDiscovery),
  linkChecks: Type.Array(RoundLinkCheck),
  visits: Type.Array(Visit),
});

/** A campaign as a file. Streams: what is sent was just read, and a client that goes away ends the reading. docs/exchange.md. */
export default (async (app) => {
  const { campaigns, discoveries, linkChecks, visits: stored } = app.store;
  const open = new Set<Readable>();
  app.addHook('preClose', async () => {
    for (const stream of open) stream.destroy(new Error('The api is being closed.'));
  });
  const streamOf = (texts: AsyncIterable<string>): Readable => {
    const stream = Readable.from(texts, { objectMode: false });
    open.add(stream);
    return stream.once('close', () => open.delete(stream));
  };

  const campaignOf = async (id: string) => found(await campaigns.find(id), `campaign ${id}`);
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
      const campaign = await campaignOf(request.params.id);
      const filter = filterOf(request.query);
      const { caveats } = app.results.read((await app.results.summary(rowId(campaign.id))).document);
      async function* lines() {
        yield visitsCsvHeader;
        for await (const visits of visitPages(stored, rowId(campaign.id), filter)) {
          yield visits.map((visit) => visitCsvLine(visit, { ...campaign, caveats })).join('');
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
      const campaign = await campaignOf(request.params.id);
      if (!isFactorial(campaign)) throw new ProblemError('not-factorial', notFactorial(campaign.id));
      async function* lines() {
        yield factorialCsvHeader(campaign);
        for await (const visits of visitPages(stored, rowId(campaign.id), filterOf({}))) {
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
      const campaign = await campaignOf(request.params.id);
      const { resources: withResources = false, ...query } = request.query;
      async function* lines() {
        for await (const visits of visitPages(stored, rowId(campaign.id), filterOf(query), withResources)) {
          if (withResources) for (const visit of visits) yield `${JSON.stringify(visit)}\n`;
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
      summary: 'The campaign with what limits its answer, its visits, discoveries and link checks as one JSON document',
      params,
      response: { 200: text('application/json', 'All but results, which are made of it: GET /campaigns/{id}/results.', WholeCampaign) },
      exposeHeadRoute: false,
    }),
    async (request, reply) => {
      const campaign = await campaignOf(request.params.id);
      const id = rowId(campaign.id);
      const { caveats } = app.results.read((await app.results.summary(id)).document);
      async function* parts() {
        yield `{"campaign":${JSON.stringify(campaign)},"caveats":${JSON.stringify(caveats)},"discoveries":[`;
        yield* items(pagesOf((slice) => discoveries.page(id, slice)));
        yield '],"linkChecks":[';
        yield* items(pagesOf((slice) => linkChecks.page(id, null, slice)));
        yield '],"visits":[';
        yield* items(visitPages(stored, id, filterOf({})));
        yield ']}\n';
      }
      return reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="campaign-${campaign.id}.json"`)
        .send(streamOf(parts()));
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

async function* pagesOf<Item>(page: (slice: Slice) => Promise<Page<Item>>): AsyncGenerator<Item[]> {
  for (let cursor: number | null = null; ; ) {
    const { items, nextCursor }: Page<Item> = await page({ limit: 100, cursor });
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

/** Visits of a page: a few milliseconds, with their requests too. */
const [visitsAtOnce, withResourcesAtOnce] = [250, 5];

/** Yields the visits that are there when it begins, in the order of their arrival, and ends soon after the last of them. */
async function* visitPages(
  stored: Store['visits'],
  campaignId: number,
  filter: VisitFilter,
  withResources = false,
): AsyncGenerator<ExportedVisit[]> {
  const atMost = withResources ? withResourcesAtOnce : visitsAtOnce;
  for (let from: ExportPlace | null = null; ; ) {
    const page: Awaited<ReturnType<typeof stored.exported>> = await stored.exported(campaignId, filter, { from, atMost, withResources });
    if (page.visits.length > 0) yield page.visits;
    from = page.next;
    if (from === null) return;
    await setImmediate(); // whoever else asks is answered between pages
  }
}
