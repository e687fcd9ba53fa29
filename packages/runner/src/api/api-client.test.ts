import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { ApiDenied, ApiRefusal, ApiUnavailable, backoffMs, retryAfterOf } from '@pronghorn/core/client';
import { type Environment, problemType, type VisitUpload } from '@pronghorn/core/schemas';
import { testFolder } from '../testing/test-folder.ts';
import { ApiClient } from './api-client.ts';
import { Outbox } from './outbox.ts';
import { Spool } from './spool.ts';
import { visitUpload } from './uploads.ts';

/** A server that gives these answers, one after the other, the last one for ever. */
async function serverOf(t: TestContext, answers: ((reply: ServerResponse, request: IncomingMessage) => void)[]): Promise<string> {
  let asked = 0;
  const server = createServer((request, reply) => answers[Math.min(asked++, answers.length - 1)]?.(reply, request)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const problem =
  (status: number, detail: string, headers: Record<string, string> = {}) =>
  (reply: ServerResponse) =>
    reply.writeHead(status, headers).end(JSON.stringify({ type: 'urn:pronghorn:problem:some', detail }));
const nothing = (reply: ServerResponse) => reply.writeHead(204, { 'retry-after': '7' }).end();

test('a runner that finds nothing learns how long to wait', async (t) => {
  const api = new ApiClient({ url: await serverOf(t, [nothing]), tries: 1 });
  assert.deepEqual(await api.lease({ runner: 'runner' }), { lease: null, askAgainMs: 7000 });
});

test('the token goes with every request', async (t) => {
  const seen: (string | undefined)[] = [];
  const url = await serverOf(t, [
    (reply, { headers }) => {
      seen.push(headers.authorization);
      nothing(reply);
    },
  ]);
  await new ApiClient({ url, token: 'secret', tries: 1 }).lease({ runner: 'runner' });
  await new ApiClient({ url, tries: 1 }).complete('lease');
  assert.deepEqual(seen, ['Bearer secret', undefined]);
});

test('a busy service is asked again, and its failure is reported once', async (t) => {
  const busy = problem(503, 'Another process holds the database.', { 'retry-after': '0' });
  const warned: string[] = [];
  const url = await serverOf(t, [busy, problem(429, 'Too many.'), (reply) => reply.destroy(), nothing]);
  const api = new ApiClient({ url, tries: Number.POSITIVE_INFINITY, warned: (message) => warned.push(message) });
  await api.complete('lease');
  assert.deepEqual(warned, [
    `The api can't be used now, trying again: POST /leases/lease/complete at ${url} failed: 503 Another process holds the database.`,
    'The api is back.',
  ]);
});

test('an answer that breaks off, or is not JSON, is requested again', async (t) => {
  const url = await serverOf(t, [
    (reply) => {
      reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"id":');
      setImmediate(() => reply.destroy());
    },
    (reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<title>Sign in to this network</title>'),
    nothing,
  ]);
  const api = new ApiClient({ url, tries: Number.POSITIVE_INFINITY });
  assert.deepEqual(await api.lease({ runner: 'runner' }), { lease: null, askAgainMs: 7000 });
});

test('permanent failures are not tried again', async (t) => {
  const gone = new ApiClient({ url: await serverOf(t, [problem(409, 'It is lost.'), nothing]), tries: 5 });
  await assert.rejects(gone.complete('lease'), {
    ...{ status: 409, type: 'urn:pronghorn:problem:some' },
    message: 'POST /leases/lease/complete: 409 It is lost.', // known-sites.ts looks for an id in the path
  });
  for (const status of [401, 403]) {
    const denied = new ApiClient({ url: await serverOf(t, [problem(status, 'Of role viewer.'), nothing]), tries: 5 });
    await assert.rejects(
      denied.complete('lease'),
      (error) => error instanceof ApiDenied && /refuses this runner: Of role viewer\.$/.test(error.message),
    );
  }
  await assert.rejects(new ApiClient({ url: await serverOf(t, [problem(404, 'Nothing.')]), tries: 5 }).complete('x'), ApiRefusal);
});

test('a proxy’s answer in place of the service’s leads to another try, and is reported in words', async (t) => {
  const page = (status: number, body: string) => (reply: ServerResponse) =>
    reply.writeHead(status, { 'content-type': 'text/html' }).end(body);
  const others = [
    page(401, 'Who are you?'),
    page(403, ''),
    page(409, '{"error":"no route"}'),
    page(200, ''),
    page(404, JSON.stringify({ type: 'about:blank', detail: 'Another service.' })),
  ];
  for (const other of others) {
    const api = new ApiClient({ url: await serverOf(t, [other]), tries: 1 });
    await assert.rejects(api.lease({ runner: 'runner' }), (error) => error instanceof ApiUnavailable && error.foreign);
  }
  const warned: string[] = [];
  const url = await serverOf(t, [page(404, '<html>\n<h1>404 page not found</h1>'), nothing]);
  const api = new ApiClient({ url, tries: Number.POSITIVE_INFINITY, warned: (message) => warned.push(message) });
  assert.deepEqual(await api.lease({ runner: 'runner' }), { lease: null, askAgainMs: 7000 });
  assert.deepEqual(warned, [
    `The api can't be used now, trying again: ${url} answered 404 "<html> <h1>404 page not found</h1>" to POST /leases, and no problem details. Is it Pronghorn, or did a proxy answer instead?`,
    'The api is back.',
  ]);
});

test('a body that is too large for a proxy will be so at the next try, too', async (t) => {
  const url = await serverOf(t, [(reply) => reply.writeHead(413).end('<html>'), nothing]);
  await assert.rejects(new ApiClient({ url, tries: 5 }).complete('lease'), (error: ApiRefusal) => error.status === 413);
});

test('a service that does not know a proxy’s name for it yet is asked again', async (t) => {
  const url = await serverOf(t, [problem(421, 'The Host is another one.'), nothing]);
  await new ApiClient({ url, tries: Number.POSITIVE_INFINITY }).complete('lease');
});

test('a visit’s environment is sent again to an api that has lost it, also with a visit that waited for the api', async (t) => {
  const asked: string[] = [];
  let has = false;
  const url = await serverOf(t, [
    (reply, { url: path = '' }) => {
      asked.push(path.replace(/^\/api\/v1/, ''));
      has ||= path.includes('/environments/');
      if (has) reply.writeHead(201, { 'content-type': 'application/json' }).end('{}');
      else reply.writeHead(422).end(JSON.stringify({ type: problemType('unknown-reference'), detail: 'There is no environment.' }));
    },
  ]);
  const api = new ApiClient({ url, tries: 1 });
  const spool = new Spool(testFolder(t), 10_000);
  const outbox = new Outbox({ spool, send: (upload) => api.uploadOnce(upload), warned: (message) => assert.fail(message) });
  const [visit, environment] = [{ id: 'visit' } as VisitUpload, { id: 'environment' } as Environment];
  await api.upload(visitUpload('lease', visit, environment));
  const each = ['/leases/lease/visits/visit', '/environments/environment', '/leases/lease/visits/visit'];
  assert.deepEqual(asked, each);
  has = false;
  spool.put(visitUpload('lease', visit, environment));
  await outbox.flush(new AbortController().signal);
  assert.deepEqual(asked, [...each, ...each]);
  has = false;
  await assert.rejects(api.upload(visitUpload('lease', visit)), ApiRefusal);
});

test('trying ends with the tries, or with the signal', async (t) => {
  const url = await serverOf(t, [problem(500, 'It failed.')]);
  await assert.rejects(new ApiClient({ url, tries: 2 }).complete('lease'), ApiUnavailable);
  const stop = new AbortController();
  const endless = new ApiClient({ url, tries: Number.POSITIVE_INFINITY, signal: stop.signal, warned: () => stop.abort() });
  await assert.rejects(endless.complete('lease'), ApiUnavailable);
});

test('waits double, up to half a minute, never in step with other runners, and never shorter than asked', () => {
  const [least, most] = [() => 0, () => 1];
  assert.deepEqual(
    [1, 2, 3].map((attempt) => [backoffMs(attempt, null, least), backoffMs(attempt, null, most)]),
    [
      [100, 200],
      [200, 400],
      [400, 800],
    ],
  );
  assert.deepEqual([backoffMs(1000, null, least), backoffMs(1000, null, most)], [15_000, 30_000]);
  assert.equal(backoffMs(1, 5000, most), 5000);
});

test('Retry-After is read in seconds and as a date', () => {
  const of = (value: string) => retryAfterOf(new Headers({ 'retry-after': value }));
  assert.equal(of('120'), 120_000);
  assert.equal(of(new Date(0).toUTCString()), 0);
  assert.equal(of('soon'), null);
  assert.equal(retryAfterOf(new Headers()), null);
});
