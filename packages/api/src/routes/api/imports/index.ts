import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { HarImport, OneLine, Page, PageQuery, Problem } from '@pronghorn/core/schemas';
import Type from 'typebox';
import { assertOwn } from '../../../plugins/app/access/access.ts';
import { readHar } from '../../../plugins/app/imports/read-har.ts';
import { found, ProblemError } from '../../../problems.ts';
import { sliceOf } from '../../../storage/page.ts';
import { rowId } from '../../../storage/row-id.ts';

const params = Type.Object({ id: Type.String() });
const ImportQuery = Type.Object(
  { name: Type.Optional(OneLine({ maxLength: 200, description: 'What to call it, such as its file’s name.' })) },
  { additionalProperties: false },
);

/** HAR files of HTTP Archive, browsertime and whoever else writes them, counted for the adoption table. */
export default (async (app) => {
  const importOf = (id: string) => found(app.imports.find(rowId(id)), `import ${id}`);

  app.get(
    '/imports',
    {
      config: { access: 'viewer' },
      schema: { summary: 'List of imports, newest first', querystring: PageQuery, response: { 200: Page(HarImport), '4xx': Problem } },
    },
    async (request) => app.imports.page(sliceOf(request.query)),
  );

  app.get(
    '/imports/:id',
    { config: { access: 'viewer' }, schema: { summary: 'Read an import', params, response: { 200: HarImport, '4xx': Problem } } },
    async (request) => importOf(request.params.id),
  );

  app.delete(
    '/imports/:id',
    {
      config: { access: 'submitter' },
      schema: { summary: 'Forget an import and what it counted', params, response: { 204: Type.Null(), '4xx': Problem } },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { name, createdBy } = importOf(id);
      assertOwn(request.access, `Import ${id}`, createdBy);
      const record = () => app.audit.record({ by: request.access?.name ?? null, action: 'import.delete', subject: id, detail: { name } });
      found((await app.imports.delete(rowId(id), record)) || undefined, `import ${id}`);
      return reply.code(204).send(null);
    },
  );

  await app.register(uploads);
}) satisfies FastifyPluginAsyncTypebox;

/** A HAR may need some hundred megabytes while it is counted. */
const importsAtOnce = 2;
const mostWaiting = 20;

/** Two at a time do their work; others wait. @throws ProblemError results-busy where too many wait. */
function createTurns() {
  const waiting: (() => void)[] = [];
  let working = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= mostWaiting) {
      throw new ProblemError('results-busy', `${mostWaiting} imports wait already. Nothing was stored; send it again in ten seconds.`);
    }
    if (working >= importsAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else working++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) working--;
      else next(); // it takes this one's place
    }
  };
}

/** Bodies are streams here: a HAR is read as it comes. */
const uploads: FastifyPluginAsyncTypebox = async (app) => {
  const inTurn = createTurns();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/gzip', 'application/x-gzip', 'application/har+json'],
    (_request, payload, done) => done(null, payload),
  );
  const har = { schema: Type.Unknown({ description: 'An HTTP Archive 1.2 of any number of pages.' }) };
  app.post(
    '/imports/har',
    {
      config: { access: 'submitter', problems: ['invalid-har', 'results-busy'] },
      schema: {
        operationId: 'importHar',
        summary: 'Count the hosts of a HAR file for the adoption table: 201, or 200 when the same was counted before',
        querystring: ImportQuery,
        body: { content: { 'application/json': har, 'application/gzip': har } },
        response: { '2xx': HarImport, '4xx': Problem },
      },
    },
    async (request, reply) => {
      if (!(request.body instanceof Readable))
        throw new ProblemError('unsupported-media-type', 'There is no body; expected a HAR as application/json or application/gzip.');
      const { body } = request;
      const [name, by] = [request.query.name ?? null, request.access?.name ?? null];
      const { id, stored } = await inTurn(async () => {
        const read = await readHar(body);
        const { pages, requests } = read.tally;
        const record = (made: number) =>
          app.audit.record({ by, action: 'import.create', subject: String(made), detail: { name, pages, requests } });
        return await app.imports.add(read, name, by, record);
      });
      return reply
        .code(stored === 'new' ? 201 : 200)
        .header('location', `/api/v1/imports/${id}`)
        .send(found(app.imports.find(id), `import ${id}`));
    },
  );
};
