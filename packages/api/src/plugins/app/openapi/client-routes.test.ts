// The client's table of routes is written from the document: `UPDATE=1 node --test` on this file writes it anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { testApi } from '../../../testing/test-api.ts';

const file = new URL('../../../../../core/src/client/routes.ts', import.meta.url);

type Schema = { $ref?: string; type?: string; items?: Schema; properties?: Record<string, Schema>; anyOf?: Schema[] };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

/** Names of core's schemas, pages and lists of them; anything else is read by its one user. */
function typeOf(schema: Schema | undefined): string {
  if (schema?.$ref !== undefined) return `schemas.${schema.$ref.split('/').at(-1)}`;
  if (schema?.type === 'array') return `${typeOf(schema.items)}[]`;
  const { items, nextCursor } = schema?.properties ?? {};
  if (items === undefined) return 'unknown';
  return nextCursor === undefined ? `{ items: ${typeOf(items)} }` : `schemas.Page<${typeOf(items.items)}>`;
}

function routeOf(method: string, path: string, { parameters = [], requestBody, responses }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `'${name}'`);
  const body = requestBody?.content['application/json'];
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = answers.map(([, { content }]) => (content === undefined ? 'null' : typeOf(content['application/json']?.schema)));
  const members = [
    ...(query.length === 0 ? [] : [`query: ${query.join(' | ')}`]),
    ...(body === undefined ? [] : [`body: ${typeOf(body.schema)}`]),
    `answer: ${[...new Set(types)].join(' | ')}`,
  ];
  return `  '${method.toUpperCase()} ${path.replace('/api/v1', '')}': { ${members.join('; ')} };`;
}

test('the client knows the routes of the document, with their bodies and answers', async (t) => {
  const { body: document } = await (await testApi(t)).get('/openapi.json');
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  const routes = paths.flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => routeOf(method, path, operation)));
  const text = [
    '// Written from the OpenAPI document by packages/api/src/plugins/app/openapi/client-routes.test.ts.',
    "import type * as schemas from '../schemas/index.ts';",
    '',
    '/** Each route of the API from behind /api/v1 on: the names of its query, its body and its answer. */',
    '// biome-ignore format: a line for each route',
    'export interface Routes {',
    ...routes.sort(),
    '}',
    '',
  ].join('\n');
  if (process.env.UPDATE) writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'), 'Routes differ: run this file with UPDATE=1.');
});
