import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { conditionNamed } from '@pronghorn/core/network';
import { problemType } from '@pronghorn/core/schemas';
import { makeDatabase } from '../../testing/made-database.ts';
import { sampleResource, sampleVisit } from '../../testing/samples.ts';
import { testApi, testFolder } from '../../testing/test-api.ts';

test('what a client has already is not sent again', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0);
  await api.upload(lease, visit);
  for (const path of [`/visits/${visit.id}`, `/visits/${visit.id}/resources`, `/visits/${visit.id}/har`, '/campaigns/1', '/conditions']) {
    const url = `/api/v1${path}`;
    const first = await api.app.inject({ url });
    assert.equal(first.statusCode, 200);
    const etag = String(first.headers.etag);
    const again = await api.app.inject({ url, headers: { 'if-none-match': etag } });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], path);
    assert.equal(first.headers['cache-control'], 'private, no-cache', path);
  }
  const before = await api.app.inject({ url: '/api/v1/campaigns/1' });
  await api.post('/campaigns/1/cancel');
  const after = await api.app.inject({ url: '/api/v1/campaigns/1', headers: { 'if-none-match': String(before.headers.etag) } });
  assert.equal(after.statusCode, 200);
});

test('text is compressed where it is asked for, and has an ETag of its own then', async (t) => {
  const api = await testApi(t);
  const url = '/api/v1/conditions';
  const plain = await api.app.inject({ url });
  assert.equal(plain.headers['content-encoding'], undefined);
  for (const [encoding, decompress] of [['br', brotliDecompressSync] as const, ['gzip', gunzipSync] as const]) {
    const zipped = await api.app.inject({ url, headers: { 'accept-encoding': encoding } });
    assert.equal(zipped.headers['content-encoding'], encoding);
    assert.match(String(zipped.headers.vary), /accept-encoding/i);
    assert.equal(decompress(zipped.rawPayload).toString(), plain.body);
    assert.equal(zipped.headers.etag, `${String(plain.headers.etag).slice(0, -1)}-${encoding}"`);
    const again = await api.app.inject({ url, headers: { 'accept-encoding': encoding, 'if-none-match': String(zipped.headers.etag) } });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  }
  const short = await api.app.inject({ url: '/api/v1/health', headers: { 'accept-encoding': 'br' } });
  assert.equal(short.headers['content-encoding'], undefined);
});

test('results are compressed as they are streamed, a summary as it was kept', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 1, sites: 4, conditions: 3, rounds: 6 }]);
  const api = await testApi(t, { database });
  for (const path of ['results', 'summary', 'comparisons']) {
    const url = `/api/v1/campaigns/1/${path}`;
    const plain = await api.app.inject({ url });
    const zipped = await api.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    assert.equal(zipped.headers['content-encoding'], 'gzip', path);
    assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.body, path);
    assert.ok(zipped.rawPayload.length < plain.body.length / 3, path);
    assert.notEqual(zipped.headers.etag, plain.headers.etag, path);
    const again = await api.app.inject({ url, headers: { 'if-none-match': String(zipped.headers.etag) } });
    assert.equal(again.statusCode, 304, path);
  }
});

test('evidence stays as it was compressed, and event streams are not compressed', async (t) => {
  const api = await testApi(t);
  await api.campaign();
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0, { resources: [sampleResource(0)] });
  await api.upload(lease, visit);
  const gzip = gzipSync('x'.repeat(5000));
  const url = `/api/v1/visits/${visit.id}/evidence`;
  await api.app.inject({ method: 'PUT', url, headers: { 'content-type': 'application/gzip' }, payload: Readable.from([gzip]) });
  const read = await api.app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(read.headers['content-encoding'], undefined);
  assert.deepEqual(read.rawPayload, gzip);

  const base = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const events = await fetch(`${base}/api/v1/campaigns/1/events`, { headers: { 'accept-encoding': 'br, gzip', 'last-event-id': '0' } });
  assert.equal(events.headers.get('content-encoding'), null);
  assert.equal(events.headers.get('etag'), null);
  await events.body?.cancel();
});

test('what was changed since it was read is changed no more by who read it before, and what a GET answers can be PUT', async (t) => {
  const api = await testApi(t);
  const campaign = { sites: [{ url: 'https://site.example/', name: 'shop' }], rounds: 1, conditions: ['4g'] };
  const gate = { name: 'budget', campaign, rules: { assertions: ['onLoad p75 h3 <= 1 s'] } };
  const target = { name: 'team', kind: 'webhook', url: 'https://hooks.example/x', events: ['gate-failed'] };
  const things: [string, object, (read: Record<string, unknown>) => object][] = [
    ['schedules', { name: 'nightly', cron: '30 2 * * *', campaign, gate: 'budget' }, (read) => ({ ...read, cron: '0 4 * * *' })],
    ['gates', gate, (read) => ({ ...read, name: 'strict' })],
    ['notifications', target, (read) => ({ ...read, enabled: false })],
    ['conditions', { ...conditionNamed('4g'), name: 'mine' }, (read) => ({ ...read, description: 'Ours.' })],
  ];
  await api.post('/gates', gate);
  for (const [noun, request, changed] of things) {
    const posted = await api.post(`/${noun}`, { ...request, name: 'mine' });
    assert.equal(posted.status, 201, `${noun}: ${JSON.stringify(posted.body)}`);
    const url = String(posted.headers.location);
    const read = async () => api.app.inject({ url });
    const send = async (method: 'PUT' | 'DELETE', etag: string, payload?: object) =>
      api.app.inject({ method, url, headers: { 'if-match': etag }, ...(payload && { payload }) });
    const first = await read();
    const etag = String(first.headers.etag);
    const same = await send('PUT', etag, first.json());
    assert.equal(same.statusCode, 200, `${noun}: ${same.body}`);
    const { updatedAt: _, ...before } = first.json();
    const { updatedAt: __, ...after } = (await read()).json();
    assert.deepEqual(after, before, noun);
    const made = changed((await read()).json());
    const now = String((await read()).headers.etag);
    assert.equal((await send('PUT', now.replace(/"$/, '-gzip"'), made)).statusCode, 200, noun);
    for (const [method, payload] of [['PUT', made] as const, ['DELETE', undefined] as const]) {
      const late = await send(method, now, payload);
      assert.deepEqual([late.statusCode, late.json().type], [412, problemType('changed-meanwhile')], `${method} ${noun}`);
    }
    assert.equal((await send('DELETE', String((await read()).headers.etag))).statusCode, 204, noun);
  }
});

test('of what is not there no state was seen', async (t) => {
  const { app } = await testApi(t);
  const headers = { 'if-match': '"any"' };
  assert.equal((await app.inject({ method: 'DELETE', url: '/api/v1/conditions/train', headers })).statusCode, 404);
  const payload = { name: 'train', up: {}, down: { rateKbps: 12_000 } };
  const reply = await app.inject({ method: 'PUT', url: '/api/v1/conditions/train', headers, payload });
  assert.deepEqual([reply.statusCode, reply.json().type], [412, problemType('changed-meanwhile')]);
});
