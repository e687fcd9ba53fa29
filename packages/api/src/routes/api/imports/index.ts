import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Adoption, AdoptionQuery, HarImport, OneLine, Page, PageQuery } from '@pronghorn/core/schemas';
import pLimit from 'p-limit';
import Type from 'typebox';
import { readHar } from '../../../plugins/app/imports/read-har.ts';
import { found, ProblemError } from '../../../shared/problems.ts';
import { rowId, sliceOf } from '../../../storage/page.ts';
import { callerOf } from '../../../store/caller.ts';
import { allow, json, params } from '../../route.ts';

const ImportQuery = Type.Object(
  { name: Type.Optional(OneLine({ maxLength: 200, description: 'What to call it, such as its file’s name.' })) },
  { additionalProperties: false },
);

/** HAR files of HTTP Archive, browsertime and whoever else writes them, counted for the adoption table. */
export default (async (app) => {
  const { imports } = app.store;
  const importOf = async (id: string) => found(await imports.find(id), `import ${id}`);

  app.get(
    '/imports',
    allow('viewer', {
      summary: 'List imports, newest first',
      querystring: PageQuery,
      response: { 200: Page(HarImport) },
    }),
    async (request) => imports.page(sliceOf(request.query)),
  );

  app.get('/imports/:id', allow('viewer', { summary: 'Read an import', params, response: { 200: HarImport } }), async (request) =>
    importOf(request.params.id),
  );

  app.delete(
    '/imports/:id',
    allow('submitter', { summary: 'Delete an import and what it counted', params, response: { 204: Type.Null() } }),
    async (request, reply) => {
      await app.imports.delete(request.params.id, callerOf(request));
      return reply.code(204).send(null);
    },
  );

  await app.register(uploads);

  app.get(
    '/adoption',
    allow('viewer', {
      summary: 'Who advertises HTTP/3 and QUIC by Alt-Svc: by month, version, provider and server',
      tags: ['imports'],
      querystring: AdoptionQuery,
      response: { 200: Adoption },
      problems: ['not-found', 'results-busy'],
    }),
    async (request, reply) => {
      const { unit = 'site', importId, from = null, to = null } = request.query;
      if (importId !== undefined) await importOf(importId);
      const text = await app.results.adoption({ importId: importId === undefined ? null : rowId(importId), from, to }, unit);
      return reply.type(json).send(text as never);
    },
  );
}) satisfies FastifyPluginAsyncTypebox;

/** A HAR may need some hundred megabytes while it is counted. */
const importsAtOnce = 2;
const maxWaiting = 20;

/** Bodies are streams here: a HAR is read as it comes. */
const uploads: FastifyPluginAsyncTypebox = async (app) => {
  const turn = pLimit(importsAtOnce);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/gzip', 'application/x-gzip', 'application/har+json'],
    (_request, payload, done) => done(null, payload),
  );
  const har = { schema: Type.Unknown({ description: 'An HTTP Archive 1.2 of any number of pages.' }) };
  app.post(
    '/imports/har',
    allow('submitter', {
      operationId: 'importHar',
      summary: 'Count the hosts of a HAR file for the adoption table: 201, or 200 when the same was counted before',
      querystring: ImportQuery,
      body: { content: { 'application/json': har, 'application/gzip': har } },
      response: { '2xx': HarImport },
      problems: ['invalid-har', 'results-busy'],
    }),
    async (request, reply) => {
      if (!(request.body instanceof Readable))
        throw new ProblemError('unsupported-media-type', 'There is no body; expected a HAR as application/json or application/gzip.');
      const { body } = request;
      if (turn.pendingCount >= maxWaiting) {
        throw new ProblemError('results-busy', `${maxWaiting} imports wait already. Nothing was stored; send it again in ten seconds.`);
      }
      const { name = null } = request.query;
      const { id, stored } = await turn(async () => app.imports.add(await readHar(body), name, callerOf(request)));
      return reply
        .code(stored === 'new' ? 201 : 200)
        .header('location', `/api/v1/imports/${id}`)
        .send(found(await app.store.imports.find(String(id)), `import ${id}`));
    },
  );
};
