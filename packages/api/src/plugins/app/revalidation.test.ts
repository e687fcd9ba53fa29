import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
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
