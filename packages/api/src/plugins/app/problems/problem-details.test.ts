import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { type Problem, type ProblemKind, problems, problemType } from '@pronghorn/core/schemas';
import { cpuMs } from '@pronghorn/core/testing';
import type { InjectOptions } from 'fastify';
import { openDatabase } from '../../../storage/database.ts';
import { sampleResource, sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi } from '../../../testing/test-api.ts';

async function problemOf(api: TestApi, request: InjectOptions, kind: ProblemKind): Promise<Problem & { headers: Record<string, unknown> }> {
  const reply = await api.app.inject(request);
  const problem: Problem = reply.json();
  assert.equal(reply.headers['content-type'], 'application/problem+json');
  assert.deepEqual(
    [reply.statusCode, problem.status, problem.type, problem.title],
    [problems[kind].status, problems[kind].status, problemType(kind), problems[kind].title],
  );
  assert.doesNotMatch(reply.body, /\n\s+at |node_modules|\.ts:/);
  return { ...problem, headers: reply.headers };
}
const json = { 'content-type': 'application/json' };
const campaigns = { method: 'POST', url: '/api/v1/campaigns' } as const;

/** A log, line by line. */
function keptLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, stream };
}

test('a path that is not there is a 404 that names it', async (t) => {
  const api = await testApi(t);
  const { detail } = await problemOf(api, { method: 'GET', url: '/api/v1/campaing' }, 'not-found');
  assert.equal(detail, 'GET /api/v1/campaing: there is nothing here. docs/api.md lists what there is.');
});

test('a body that is nested thousands deep is refused as any other, by whoever it is sent, and said once in the log', async (t) => {
  const { lines, stream } = keptLog();
  const api = await testApi(t, { access: { kind: 'tokens' }, logger: { level: 'error', pretty: false, stream } });
  for (const [depth, open, close] of [
    [65, '[', ']'],
    [8_000, '[', ']'],
    [8_000, '{"token":', '}'],
    [200_000, '[', ']'],
  ] as const) {
    const payload = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const request = { method: 'POST', url: '/api/v1/session', headers: json, payload } as const;
    const { detail } = await problemOf(api, request, 'malformed-request');
    assert.equal(detail, 'The body is nested more than 64 deep; expected at most that. Nothing of it was kept.');
  }
  const whole = { method: 'POST', url: '/api/v1/session', headers: json, payload: `${'['.repeat(64)}1${']'.repeat(64)}` } as const;
  await problemOf(api, whole, 'invalid-request');
  assert.deepEqual(lines, []);
});

test('tens of thousands of repeated items are refused in an instant, and two by what is wrong with them', async (t) => {
  const api = await testApi(t);
  const target = { name: 'chat', kind: 'webhook', url: 'https://chat.example/' };
  for (const [url, one, bodyOf] of [
    ['/api/v1/campaigns', 'cold', (views: string[]) => ({ sites: [{ url: 'https://site.example/' }], views })],
    ['/api/v1/campaigns', '', (views: string[]) => ({ sites: [{ url: 'https://site.example/' }], views })],
    ['/api/v1/notifications', 'gate-failed', (events: string[]) => ({ ...target, events })],
  ] as const) {
    const ms = await cpuMs(() => problemOf(api, { method: 'POST', url, payload: bodyOf(Array(40_000).fill(one)) }, 'invalid-request'));
    assert.ok(ms < 1_000, `${url} with ${JSON.stringify(one)}: ${Math.round(ms)} ms`);
  }
  const { detail } = await problemOf(api, { ...campaigns, payload: { sites: [], views: ['cold', 'cold'] } }, 'invalid-request');
  assert.match(detail, /^\/sites is \[\]; expected at least 1 item/);
  const twice = { sites: [{ url: 'https://site.example/' }], views: ['cold', 'cold'] };
  assert.equal(
    (await problemOf(api, { ...campaigns, payload: twice }, 'invalid-request')).detail,
    '/views is ["cold","cold"]; expected each item once.',
  );
});

test('a fault of what explains errors is told as any other, with its cause in the log, once', async (t) => {
  const { lines, stream } = keptLog();
  const api = await testApi(t, { logger: { level: 'error', pretty: false, stream } });
  const unreadable = Object.defineProperty(new Error('no'), 'code', {
    get() {
      throw new RangeError('Maximum call stack size exceeded');
    },
  });
  t.mock.method(api.app.store.campaigns, 'page', () => {
    throw unreadable;
  });
  await problemOf(api, { method: 'GET', url: '/api/v1/campaigns' }, 'internal-error');
  const causes = lines.filter((line) => !line.includes('"event":"request"'));
  assert.equal(causes.length, 1);
  assert.match(causes[0] ?? '', /Maximum call stack size exceeded/);
});

test('another method than those of a path is a 405 that says which there are', async (t) => {
  const api = await testApi(t);
  for (const [method, url, allow] of [
    ['PUT', '/api/v1/campaigns/1?x=y', 'GET, HEAD, DELETE'],
    ['GET', '/api/v1/leases', 'POST, DELETE'],
    ['PATCH', '/api/v1/visits/x/evidence', 'PUT, GET, HEAD'],
  ] as const) {
    const { headers, detail } = await problemOf(api, { method, url }, 'method-not-allowed');
    assert.equal(headers.allow, allow);
    assert.ok(detail.endsWith(`expected ${allow}.`), detail);
  }
});

test('a body that cannot be read is refused with what to send', async (t) => {
  const api = await testApi(t);
  for (const [request, kind, words] of [
    [{ headers: json, payload: '{"sites":' }, 'malformed-request', 'The body is not JSON, but Content-Type says so. Send JSON.'],
    [{ headers: json, payload: '' }, 'malformed-request', 'The body is empty, but Content-Type says JSON.'],
    [{ headers: json, payload: '{"__proto__":{}}' }, 'malformed-request', 'The body is not JSON'],
    [
      { headers: { 'content-type': 'text/plain' }, payload: 'x' },
      'unsupported-media-type',
      'Content-Type is "text/plain"; expected application/json.',
    ],
    [{ payload: 'x' }, 'unsupported-media-type', 'Content-Type is missing; expected application/json.'],
    [{}, 'invalid-request', 'the body is missing; expected an object.'],
    [{ headers: json, payload: '[]' }, 'invalid-request', 'the body is []; expected an object.'],
  ] as const) {
    const { detail } = await problemOf(api, { ...campaigns, ...request }, kind);
    assert.ok(detail.startsWith(words), detail);
  }
});

test('a body beyond the limit of its route is refused, and the limit named', async (t) => {
  const api = await testApi(t);
  const { detail } = await problemOf(
    api,
    { method: 'POST', url: '/api/v1/leases', headers: json, payload: `"${'x'.repeat(2 ** 20)}"` },
    'body-too-large',
  );
  assert.equal(detail, 'The body has more than 1048576 bytes, which is the most that is taken here. Send less at once.');
});

test('a path that cannot be decoded is refused', async (t) => {
  const api = await testApi(t);
  await problemOf(api, { method: 'GET', url: '/api/v1/campaigns/%zz' }, 'malformed-request');
});

test('a full disk is a 507, nothing of the visit stays, and it can be sent again when there is room', async (t) => {
  const api = await testApi(t);
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0, { resources: Array.from({ length: 3000 }, (_, seq) => sampleResource(seq)) });
  const { database } = api.app;
  database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`); // SQLite's own way to be full
  const upload = { method: 'PUT', url: `/api/v1/leases/${lease.id}/visits/${visit.id}`, payload: visit } as const;
  const { detail } = await problemOf(api, upload, 'storage-full');
  assert.match(detail, /no room to store this\. Nothing of it was kept; free some disk space and send it again/);
  assert.equal((await api.get(`/visits/${visit.id}`)).status, 404);
  database.pragma('max_page_count = 1000000');
  assert.equal((await api.app.inject(upload)).statusCode, 201);
});

test('a database that another process holds is a 503 that says when to come back', async (t) => {
  const { folder } = await testApi(t);
  const file = `${folder}/held.db`;
  const api = await testApi(t, { database: file, lockWaitMs: 50 });
  await api.campaign();
  const other = openDatabase(file);
  t.after(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const { headers } = await problemOf(api, { method: 'POST', url: '/api/v1/leases', payload: { runner: 'r' } }, 'storage-busy');
  assert.equal(headers['retry-after'], '1');
  other.exec('ROLLBACK');
  assert.equal((await api.post('/leases', { runner: 'r' })).status, 200);
});

test('a fault of the service is a 500 that tells nothing of its inside', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  await api.app.commit(() => api.app.database.exec('DROP TABLE discoveries'));
  const { detail } = await problemOf(api, { method: 'GET', url: '/api/v1/campaigns/1/discoveries' }, 'internal-error');
  assert.equal(detail, 'GET /api/v1/campaigns/1/discoveries failed by a fault of the service; its log says why.');
});
