import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { Busy, Refusal, UsageError } from '../program/errors.ts';
import { remoteApi } from './remote-service.ts';

type Answering = (reply: ServerResponse, request: IncomingMessage) => void;

/** An api that answers by a list, the last of it again and again. */
async function service(t: TestContext, answers: Answering[]) {
  const asked: string[] = [];
  const server = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    answers[Math.min(asked.length, answers.length) - 1]?.(reply, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const waits: number[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: string[] = [];
  const api = remoteApi({ url, token: 'prg_x', wait: async (ms) => void waits.push(ms), report: (words) => void told.push(words) });
  const close = () => new Promise((resolve) => server.close(resolve));
  return { api, asked, waits, told, url, close };
}

const json = (status: number, body: unknown) => (reply: ServerResponse) =>
  reply.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body));
const problem = (status: number) => json(status, { type: 'urn:pronghorn:problem:x', title: 'A title', status, detail: 'What to do.' });

test('what is asked carries the token, and what is answered comes back', async (t) => {
  const { api, asked } = await service(t, [json(200, { items: [] }), json(204, undefined)]);
  assert.deepEqual(await api.ask('GET /schedules'), { items: [] });
  await api.ask('DELETE /schedules/{id}', { id: '3' });
  assert.deepEqual(asked, ['GET /api/v1/schedules Bearer prg_x', 'DELETE /api/v1/schedules/3 Bearer prg_x']);
});

test('the service may be named with its path too, and nothing but http and https is one', (t) => {
  t.assert.equal(remoteApi({ url: 'https://a.example/measure/api/v1/', token: null }).url, 'https://a.example/measure');
  for (const url of ['a.example', 'ftp://a.example', 'https://me:secret@a.example'])
    assert.throws(() => remoteApi({ url, token: null }), UsageError);
});

test('a service that is not ready is asked again after growing pauses', async (t) => {
  const { api, asked, waits, told, url } = await service(t, [problem(503), problem(502), json(200, 1)]);
  assert.equal(await api.ask('GET /gates'), 1);
  assert.deepEqual([asked.length, waits], [3, [500, 1000]]);
  assert.deepEqual(told, [`pronghorn: ${url} does not answer (503); trying again for 15 seconds.`], 'once, not with each try');
});

test('what makes something is sent again under one key, also when the first answer never came: it is made once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-remote-'));
  const real = await startApi({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') });
  t.after(async () => {
    await real.close();
    rmSync(folder, { recursive: true });
  });
  const keys: unknown[] = [];
  const lose: Answering = async (reply, request) => {
    keys.push(request.headers['idempotency-key']);
    const passed = await fetch(`${real.url}${request.url}`, {
      method: 'POST',
      body: Readable.toWeb(request) as ReadableStream,
      duplex: 'half',
      headers: { 'content-type': 'application/json', 'idempotency-key': String(request.headers['idempotency-key']) },
    });
    const text = await passed.text();
    if (keys.length === 1) reply.destroy();
    else if (keys.length === 2) reply.writeHead(504).end();
    else reply.writeHead(passed.status, { 'content-type': 'application/json' }).end(text);
  };
  const { api } = await service(t, [lose]);
  const request = { sites: [{ url: 'https://site.example/' }], rounds: 1 };
  assert.equal((await api.ask('POST /campaigns', { body: request })).id, '1');
  assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
  assert.equal((await api.ask('POST /campaigns', { body: request })).id, '2', 'another one has another key');
});

test('a service that has no time did nothing, and is asked again when it says; in the end that is no mistake of who asks', async (t) => {
  const busy =
    (status: number, headers: Record<string, string> = {}) =>
    (reply: ServerResponse) =>
      reply
        .writeHead(status, headers)
        .end(JSON.stringify({ type: 'urn:pronghorn:problem:x', title: 'A title', status, detail: 'Too many.' }));
  const { api, waits, told, url } = await service(t, [busy(429, { 'retry-after': '7' }), busy(429), json(200, 1)]);
  assert.equal(await api.ask('POST /campaigns/{id}/cancel', { id: '1' }), 1);
  assert.deepEqual([waits, told], [[7_000, 1_000], [`pronghorn: ${url} has no time (429); trying again.`]]);
  for (const status of [429, 421]) {
    const never = await service(t, [busy(status, { 'retry-after': '900' })]);
    const isBusy = (error: unknown) => error instanceof Busy && !(error instanceof UsageError) && error.retryAfterMs === 60_000;
    await assert.rejects(never.api.ask('GET /gates'), isBusy);
    assert.deepEqual(never.waits, Array(5).fill(60_000));
    await assert.rejects(never.api.events('1', undefined, AbortSignal.timeout(10_000)), isBusy);
  }
});

test('a refusal is told in the service’s words, and what has none by its status', async (t) => {
  const refused = await service(t, [problem(422)]);
  await assert.rejects(
    refused.api.ask('GET /gates'),
    (error) => error instanceof Refusal && error.message === 'A title: What to do.' && error.problem.status === 422,
  );
  const forbidden = await service(t, [problem(403)]);
  await assert.rejects(forbidden.api.ask('GET /gates'), /The token came from --token, --token-file or PRONGHORN_TOKEN/);
  const other = await service(t, [(reply) => reply.writeHead(404).end('<html>')]);
  await assert.rejects(
    other.api.ask('GET /gates'),
    /answered 404 "<html>" to GET \/gates, and no problem details\. Is it Pronghorn, or did a proxy answer instead\?/,
  );
});

test('a fault of the service is told with the id by which its log has it', async (t) => {
  const fault = { type: 'urn:pronghorn:problem:internal-error', title: 'The service failed', status: 500, detail: 'It failed.' };
  const { api } = await service(t, [(reply) => reply.writeHead(500, { 'x-request-id': 'aB3_x' }).end(JSON.stringify(fault)), problem(500)]);
  await assert.rejects(
    api.ask('POST /campaigns/{id}/cancel', { id: '1' }),
    /failed: 500 It failed\. The service’s log has it as request aB3_x\.$/,
  );
  await assert.rejects(api.ask('POST /campaigns/{id}/cancel', { id: '1' }), /failed: 500 What to do\.$/);
});

test('a service that is not there is named after some tries', async (t) => {
  const { waits, api, close } = await service(t, []);
  await close();
  await assert.rejects(api.ask('GET /gates'), /^Error: http:\/\/127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Check --api/);
  assert.equal(waits.length, 5);
  await assert.rejects(api.ask('POST /campaigns/{id}/cancel', { id: '1' }), /cannot be reached/);
  assert.equal(waits.length, 10, 'what was refused was not done');
});

test('the token is not carried to where a redirect leads', async (t) => {
  const elsewhere = await service(t, [json(200, 1)]);
  const { api, asked } = await service(t, [(reply) => reply.writeHead(302, { location: `${elsewhere.url}/api/v1/x` }).end()]);
  await assert.rejects(api.ask('POST /campaigns/{id}/cancel', { id: '1' }), /cannot be reached/);
  assert.deepEqual([asked.length, elsewhere.asked.length], [1, 0]);
});
