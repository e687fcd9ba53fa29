import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { evidenceForms, type Problem, problemType } from '@pronghorn/core/schemas';
import { createEvidenceStore } from '../../../plugins/app/evidence/evidence-store.ts';
import { openDatabase } from '../../../storage/database.ts';
import { ownCaller } from '../../../store/caller.ts';
import { createLocalStore } from '../../../store/open-store.ts';
import { settingsOf } from '../../../store/settings.ts';
import { sampleVisit } from '../../../testing/samples.ts';
import { type TestApi, testApi, testFolder, tokenApi } from '../../../testing/test-api.ts';

async function storedVisit(api: TestApi): Promise<string> {
  await api.campaign({ protocols: ['h2'] });
  const lease = await api.lease();
  const visit = sampleVisit(lease, 0);
  await api.upload(lease, visit);
  return visit.id;
}
const put = (api: Pick<TestApi, 'app'>, id: string, payload: Buffer, headers = {}) =>
  api.app.inject({
    method: 'PUT',
    url: `/api/v1/visits/${id}/evidence`,
    payload,
    headers: { 'content-type': 'application/gzip', ...headers },
  });
const get = (api: TestApi, id: string) => api.app.inject({ method: 'GET', url: `/api/v1/visits/${id}/evidence` });
const { maxBytes } = evidenceForms.evidence;
const storeIn = (t: TestContext, directory: string) => {
  const database = openDatabase(':memory:');
  t.after(() => database.close());
  const settings = settingsOf({ database: ':memory:', evidenceDirectory: directory });
  return createEvidenceStore(createLocalStore(database, settings), settings.evidence);
};
const gzipHead = Buffer.from([0x1f, 0x8b]);

test('a visit gets its evidence from the token that leased its round, or from an admin’s', async (t) => {
  const api = await tokenApi(t);
  const { created } = await api.app.store.access.createToken({ name: 'of another place', role: 'runner' }, ownCaller);
  const { token = '' } = created ?? {};
  await api.app.store.campaigns.submit({ sites: [{ url: 'https://site.example/' }], protocols: ['h2'], rounds: 1 });
  const { body: lease } = await api.ask('runner', 'POST', '/leases', { payload: { runner: 'fra-1' } });
  const visit = sampleVisit(lease, 0);
  await api.ask('runner', 'PUT', `/leases/${lease.id}/visits/${visit.id}`, { payload: visit });
  const send = async (authorization: string) =>
    (await put(api, visit.id, gzipSync('{}'), { authorization: `Bearer ${authorization}` })).statusCode;
  assert.equal(await send(token), 403);
  assert.equal(await send(api.tokens.runner), 201);
  assert.equal(await send(token), 403);
  assert.equal(await send(api.tokens.admin), 204);
});

test('evidence is read as it was sent, and sending it again is harmless', async (t) => {
  const api = await testApi(t);
  const id = await storedVisit(api);
  const evidence = gzipSync(randomBytes(300_000));
  assert.equal((await get(api, id)).statusCode, 404);
  assert.equal((await put(api, id, evidence)).statusCode, 201);
  assert.equal((await put(api, id, evidence)).statusCode, 204);
  const reply = await get(api, id);
  assert.equal(reply.headers['content-type'], 'application/gzip');
  assert.deepEqual(gunzipSync(reply.rawPayload), gunzipSync(evidence));
});

test('evidence of a visit that is not stored is refused', async (t) => {
  const api = await testApi(t);
  for (const id of [randomUUID(), '..%2F..%2Fetc']) {
    const reply = await put(api, id, gzipSync('x'));
    assert.deepEqual([reply.statusCode, reply.json().type], [404, problemType('not-found')]);
  }
});

test('what a kind is expected as is told whatever else was sent', async (t) => {
  const api = await testApi(t);
  const url = `/api/v1/visits/${await storedVisit(api)}/evidence/video`;
  for (const [given, words] of [
    ['video/quicktime', '"video/quicktime"'],
    ['application/gzip', '"application/gzip"'],
    ['', 'missing'],
  ]) {
    const headers = given === '' ? {} : { 'content-type': given };
    const reply = await api.app.inject({ method: 'PUT', url, payload: Buffer.from('ftyp'), headers });
    assert.deepEqual([reply.statusCode, reply.json().detail], [415, `Content-Type is ${words}; expected video/mp4 or video/webm.`]);
  }
});

test('what is not gzip or too large is refused, and nothing of it stays', async (t) => {
  const api = await testApi(t);
  const id = await storedVisit(api);
  const plain = await put(api, id, Buffer.from('{"events":[]}'));
  assert.deepEqual(
    [plain.statusCode, plain.json().detail],
    [415, 'The evidence begins with the bytes 7b22; expected gzip, which begins with 1f8b.'],
  );
  const json = await put(api, id, Buffer.from('{}'), { 'content-type': 'application/json' });
  assert.deepEqual([json.statusCode, json.json().detail], [415, 'Content-Type is "application/json"; expected application/gzip.']);

  // By a real connection: a refusal half-way must reach who is still sending.
  const url = `${await api.app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/visits/${id}/evidence`;
  const tooLarge = Buffer.alloc(maxBytes + 1);
  tooLarge.set(gzipHead);
  for (const body of [
    tooLarge,
    ReadableStream.from(Array.from({ length: 65 }, (_, index) => tooLarge.subarray(0, index === 64 ? 1 : 2 ** 20))),
  ]) {
    const reply = await fetch(url, { method: 'PUT', body, headers: { 'content-type': 'application/gzip' }, duplex: 'half' } as RequestInit);
    assert.deepEqual([reply.status, ((await reply.json()) as Problem).type], [413, problemType('body-too-large')]);
  }

  assert.equal((await get(api, id)).statusCode, 404);
  assert.deepEqual(readdirSync(join(api.folder, 'evidence', 'incoming')), []);
});

test('evidence that breaks off is not stored, and what was there stays; it is no fault of the service', async (t) => {
  const stream = new PassThrough();
  const api = await testApi(t, { logger: { level: 'error', pretty: false, stream } });
  const id = await storedVisit(api);
  const evidence = gzipSync('whole');
  await put(api, id, evidence);
  const address = new URL(await api.app.listen({ host: '127.0.0.1', port: 0 }));
  const incoming = join(api.folder, 'evidence', 'incoming');
  const changes = watch(incoming);
  t.after(() => changes.close());
  const filesBecome = (count: number) =>
    new Promise<void>((resolve) => changes.on('change', () => readdirSync(incoming).length === count && resolve()));
  const arrived = filesBecome(1);
  const socket = connect(Number(address.port), '127.0.0.1');
  socket.write(
    `PUT /api/v1/visits/${id}/evidence HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/gzip\r\nContent-Length: 1000\r\n\r\n`,
  );
  socket.write(gzipHead);
  await arrived;
  const gone = filesBecome(0);
  socket.destroy();
  await gone;
  assert.deepEqual((await get(api, id)).rawPayload, evidence);
  await api.app.close();
  assert.equal(stream.read(), null);
});

test('what a process left half received is removed, what is being received stays', (t) => {
  const directory = testFolder(t);
  const [old, fresh] = [join(directory, 'incoming', 'old'), join(directory, 'incoming', 'fresh')];
  mkdirSync(join(directory, 'incoming'));
  for (const path of [old, fresh]) writeFileSync(path, '');
  utimesSync(old, new Date(0), new Date(0));
  storeIn(t, directory);
  assert.deepEqual([existsSync(old), existsSync(fresh)], [false, true]);
});

test('an evidence folder that cannot be made is named', (t) => {
  const file = join(testFolder(t), 'file');
  writeFileSync(file, '');
  assert.throws(
    () => storeIn(t, join(file, 'evidence')),
    /The evidence directory .*file\/evidence cannot be written .*Check its permissions/,
  );
});
