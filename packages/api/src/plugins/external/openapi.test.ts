import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems } from '@pronghorn/core/schemas';
import { Validator } from '@seriousme/openapi-schema-validator';
import { testApi } from '../../testing/test-api.ts';

type Operation = {
  operationId: string;
  summary?: string;
  tags: string[];
  security: object[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, { description: string; content?: Record<string, { schema?: { $ref?: string } }> }>;
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, object> } };

async function documentOf(t: Parameters<typeof testApi>[0]) {
  const api = await testApi(t);
  const { status, headers, body } = await api.get('/openapi.json');
  assert.equal(status, 200);
  assert.match(String(headers['content-type']), /^application\/json/);
  const document = body as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  return { api, document, operations };
}

test('the document is valid OpenAPI 3.1, and every reference in it leads somewhere', async (t) => {
  const { document } = await documentOf(t);
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
  assert.equal(document.openapi, '3.1.0');
  const referenced = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
  assert.ok(referenced.length > 300);
  for (const name of referenced) assert.ok(document.components.schemas[name], name);
  assert.ok(!JSON.stringify(document).includes('x-schema-name'));
});

test('it has every route under /api/v1, and no other', async (t) => {
  const { api, operations } = await documentOf(t);
  const served = api.app.routeAccess
    .filter(({ method, url }) => url.startsWith('/api/v1/') && method !== 'HEAD')
    .map(({ method, url }) => `${method} ${url.replaceAll(/:([^/]+)/g, '{$1}')}`);
  assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`).sort(), [...new Set(served)].sort());
});

test('every operation says what it does, by a name of its own, who may ask, and all that it can answer', async (t) => {
  const { operations } = await documentOf(t);
  const names = operations.map(({ operationId }) => operationId);
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  );
  for (const { method, path, summary, operationId, tags, security, responses, requestBody } of operations) {
    const what = `${method} ${path}`;
    assert.match(operationId, /^[a-z][A-Za-z]+$/, what);
    assert.ok(summary && summary.length < 120 && !summary.endsWith('.'), `${what} has the summary ${summary}`);
    assert.equal(tags.length, 1, what);
    assert.ok(Array.isArray(security), what);
    assert.ok(
      Object.keys(responses).some((status) => /^2\d\d$/.test(status)),
      `${what} has no success`,
    );
    // A pin is all that there is of it.
    if (method === 'PUT' && !requestBody && !path.endsWith('/pin')) assert.fail(`${what} has no body`);
    for (const [status, { description, content }] of Object.entries(responses)) {
      assert.match(status, /^\d{3}$/, what);
      assert.ok(description.length > 3, `${what} ${status}`);
      if (!/^[45]/.test(status)) continue;
      assert.ok(
        Object.values(problems).some((problem) => String(problem.status) === status),
        `${what} ${status}`,
      );
      if (content?.['application/problem+json']) {
        assert.deepEqual(content['application/problem+json'].schema, { $ref: '#/components/schemas/Problem' });
      }
    }
    for (const status of ['400', '421', '500']) assert.ok(responses[status], `${what} ${status}`);
  }
});

test('what is read of core stands under its name: campaigns, visits, problems', async (t) => {
  const { document } = await documentOf(t);
  const body = (path: string, status = '200') => document.paths[path]?.get?.responses[status]?.content?.['application/json']?.schema?.$ref;
  assert.equal(body('/api/v1/campaigns/{id}'), '#/components/schemas/Campaign');
  assert.equal(body('/api/v1/visits/{id}'), '#/components/schemas/SingleVisit');
  for (const name of ['Campaign', 'Visit', 'Resource', 'Problem', 'Round', 'Lease', 'Condition', 'Metrics']) {
    assert.ok(document.components.schemas[name], name);
  }
});

type Schema = {
  type?: string;
  format?: string;
  anyOf?: Schema[];
  items?: Schema;
  uniqueItems?: boolean;
  maxItems?: number;
  properties?: Record<string, Schema>;
  description?: string;
};

/** All properties of a document, by where they stand. */
function* propertiesOf(content: unknown, path = ''): Generator<[string, string, Schema]> {
  if (typeof content !== 'object' || content === null) return;
  for (const [name, value] of Object.entries(content)) {
    if (name === 'properties')
      for (const [of, schema] of Object.entries(value as Record<string, Schema>)) yield [`${path}/${of}`, of, schema];
    yield* propertiesOf(value, `${path}/${name}`);
  }
}

test('every time is one of the format date-time, so that clients made from the document read times', async (t) => {
  const { document } = await documentOf(t);
  const stringsOf = (schema: Schema): Schema[] =>
    schema.type === 'string' ? [schema] : [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])].flatMap(stringsOf);
  const isTime = (name: string, { description = '' }: Schema) =>
    /(At|Since)$|^(at|time|times|since|until|eta|asOf|nextRuns)$/.test(name) || description.startsWith('ISO 8601');
  const times = [...propertiesOf(document)].filter(([, name, schema]) => isTime(name, schema));
  assert.ok(times.length > 50, `${times.length} times`);
  assert.deepEqual(
    times.filter(([, , schema]) => stringsOf(schema).some(({ format }) => format !== 'date-time')).map(([path]) => path),
    [],
  );
});

test('where items must differ, few may be sent: to find which do not takes time by the square of their number', async (t) => {
  const { document } = await documentOf(t);
  const unique = [...propertiesOf(document)]
    .flatMap(([path, , schema]) => [schema, ...(schema.anyOf ?? [])].map((each) => ({ path, ...each })))
    .filter(({ uniqueItems }) => uniqueItems);
  assert.ok(unique.length > 5, `${unique.length} places`);
  assert.deepEqual(
    unique.filter(({ maxItems = Number.POSITIVE_INFINITY }) => maxItems > 100).map(({ path }) => path),
    [],
  );
});

test('bodies that are no JSON are told by their media types', async (t) => {
  const { document } = await documentOf(t);
  const types = (path: string, method: string, status: string) =>
    Object.keys(document.paths[path]?.[method]?.responses[status]?.content ?? {});
  assert.deepEqual(types('/api/v1/campaigns/{id}/visits.csv', 'get', '200'), ['text/csv']);
  assert.deepEqual(types('/api/v1/campaigns/{id}/visits.ndjson', 'get', '200'), ['application/x-ndjson']);
  assert.deepEqual(types('/api/v1/campaigns/{id}/events', 'get', '200'), ['text/event-stream']);
  assert.deepEqual(types('/api/v1/visits/{id}/evidence', 'get', '200'), ['application/gzip']);
  assert.deepEqual(Object.keys(document.paths['/api/v1/visits/{id}/evidence']?.put?.requestBody?.content ?? {}), ['application/gzip']);
  assert.deepEqual(Object.keys(document.paths['/api/v1/imports/har']?.post?.requestBody?.content ?? {}), [
    'application/json',
    'application/gzip',
  ]);
});

test('the page at /docs has all that it needs here, and its policy lets it ask nobody else', async (t) => {
  const { app } = await testApi(t);
  const page = await app.inject('/docs/');
  assert.equal(page.statusCode, 200);
  const policy = String(page.headers['content-security-policy']);
  assert.ok(
    !/https?:|unsafe-eval|\*/.test(policy) && policy.includes("default-src 'none'") && policy.includes("script-src 'self'"),
    policy,
  );
  const parts = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
  assert.ok(parts.length > 4);
  for (const part of parts) {
    assert.match(part, /^\.\/static\//);
    assert.equal((await app.inject(`/docs/${part.slice(2)}`)).statusCode, 200, part);
  }
  assert.ok(!/<script(?![^>]*src)/.test(page.body), 'a script inside of the page would be refused by its policy');
  const settings = (await app.inject('/docs/static/swagger-initializer.js')).body;
  assert.match(settings, /"validatorUrl":null/);
  assert.match(settings, /url: resolveUrl\('\.\/json'\)/);
  assert.equal((await app.inject('/docs/json')).body, (await app.inject('/api/v1/openapi.json')).body);
});

test('where tokens are needed, the document and its page are not among what is kept from who has none', async (t) => {
  const api = await testApi(t, { access: { kind: 'tokens' } });
  assert.equal((await api.get('/openapi.json')).status, 200);
  for (const path of ['/docs', '/docs/', '/docs/static/swagger-ui.css']) assert.equal((await api.app.inject(path)).statusCode, 200, path);
  assert.equal((await api.get('/campaigns')).status, 401);
});
