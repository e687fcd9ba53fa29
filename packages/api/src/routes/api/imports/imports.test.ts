import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { problemType } from '@pronghorn/core/schemas';
import { type TestApi, testApi, testFolder } from '../../../testing/test-api.ts';

const entry = (host: string, month: string, headers: Record<string, string>, pageref = host) => ({
  pageref,
  startedDateTime: `${month}-15T10:00:00.000Z`,
  request: { method: 'GET', url: `https://${host}/` },
  response: { status: 200, headers: Object.entries({ Date: 'today', ...headers }).map(([name, value]) => ({ name, value })) },
});
const harOf = (...entries: ReturnType<typeof entry>[]) => ({
  log: {
    version: '1.2',
    creator: { name: 'WebPagetest', version: '20' },
    pages: [...new Set(entries.map(({ pageref }) => pageref))].map((id) => ({ id })),
    entries,
  },
});
const draft29 = { 'alt-svc': 'h3-29=":443"; ma=86400', server: 'cloudflare' };

const send = async ({ app }: TestApi, payload: string | Buffer, contentType = 'application/json', query = '') => {
  const reply = await app.inject({ method: 'POST', url: `/api/v1/imports/har${query}`, payload, headers: { 'content-type': contentType } });
  return { status: reply.statusCode, body: reply.json(), location: reply.headers.location };
};

test('a HAR of several pages and months is counted, and makes the adoption table', async (t) => {
  const api = await testApi(t);
  const har = harOf(
    entry('a.example', '2020-11', {}),
    entry('b.example', '2020-12', draft29),
    entry('cdn.example', '2020-12', { server: 'nginx' }, 'b.example'),
    { ...entry('cdn.example', '2020-12', {}, 'b.example'), response: { status: 200, headers: [] } },
  );
  const made = await send(api, JSON.stringify(har), 'application/json', '?name=crawl.har');
  assert.deepEqual([made.status, made.location], [201, '/api/v1/imports/1']);
  assert.deepEqual(made.body, {
    id: '1',
    createdAt: '2026-03-01T12:00:00.000Z',
    createdBy: null,
    name: 'crawl.har',
    creator: 'WebPagetest 20',
    pages: 2,
    requests: 4,
    hosts: 3,
    months: ['2020-11', '2020-12'],
    leftOut: { 'no-headers': 1 },
  });
  assert.deepEqual((await api.get('/imports/1')).body, made.body);
  assert.deepEqual((await api.get('/imports')).body, { items: [made.body], nextCursor: null });

  const { body } = await api.get('/adoption');
  assert.deepEqual(
    body.months.map(({ month, units, adopting, http3Share }: Record<string, unknown>) => [month, units, adopting, http3Share]),
    [
      ['2020-11', 1, 0, 0],
      ['2020-12', 1, 1, 1],
    ],
  );
  assert.deepEqual(body.months[1].versions, [{ version: 'h3-29', family: 'h3-draft', units: 1, share: 1 }]);
  assert.equal(body.months[1].providers[0].provider, 'Cloudflare');
  assert.equal((await api.get('/adoption?unit=host&from=2020-12')).body.months[0].units, 2);
  assert.deepEqual((await api.get('/adoption?to=2020-10')).body.months, []);
  assert.equal((await api.get('/adoption?importId=9')).status, 404);
  assert.equal((await api.get('/adoption?from=december')).status, 400);
});

test('the same HAR counts once, gzipped or not, whatever its Content-Type says of that', async (t) => {
  const api = await testApi(t);
  const text = JSON.stringify(harOf(entry('a.example', '2020-11', draft29)));
  assert.equal((await send(api, gzipSync(text), 'application/gzip')).status, 201);
  assert.deepEqual([(await send(api, text)).status, (await send(api, gzipSync(text), 'application/json')).body.id], [200, '1']);
  assert.equal((await api.get('/adoption')).body.months[0].units, 1);
});

test('a forgotten import counts no longer', async (t) => {
  const api = await testApi(t);
  await send(api, JSON.stringify(harOf(entry('a.example', '2020-11', draft29))));
  await send(api, JSON.stringify(harOf(entry('b.example', '2020-11', {}))));
  assert.equal((await api.get('/adoption')).body.months[0].units, 2);
  assert.equal((await api.delete('/imports/1')).status, 204);
  assert.equal((await api.delete('/imports/1')).status, 404);
  assert.equal((await api.get('/adoption')).body.months[0].adopting, 0);
});

test('what is no HAR, or one that lies, is refused with what is wrong, and nothing of it is kept', async (t) => {
  const api = await testApi(t);
  const good = harOf(entry('a.example', '2020-11', draft29));
  const text = JSON.stringify(good);
  const refused = async (payload: string | Buffer, kind: string, words: RegExp, status = 422) => {
    const { status: found, body } = await send(api, payload);
    assert.deepEqual([found, body.type], [status, problemType(kind as never)], String(payload).slice(0, 80));
    assert.match(body.detail, words);
  };
  await refused('', 'invalid-har', /no JSON|no HAR|ends before/);
  await refused('hello', 'invalid-har', /no JSON/);
  await refused(Buffer.from('PK\u0003\u0004rest'), 'invalid-har', /is a ZIP archive\. Send the HAR that is in it/);
  for (const mark of ['\ufeff', '']) await refused(Buffer.from(mark + text, 'utf16le'), 'invalid-har', /is in UTF-16.*Send it in UTF-8/);
  await refused('{"visits": []}', 'invalid-har', /neither log\.pages nor log\.entries/);
  await refused('[]', 'invalid-har', /neither log\.pages nor log\.entries/);
  await refused('null', 'invalid-har', /neither log\.pages nor log\.entries/);
  await refused('{"log": {"entries": "many"}}', 'invalid-har', /neither/);
  await refused(text.slice(0, -1), 'invalid-har', /ends before its last bracket/);
  await refused(`${text}${text}`, 'invalid-har', /no JSON/);
  await refused(gzipSync(text).subarray(0, 60), 'invalid-har', /gzip is damaged or ends too early/);
  await refused(Buffer.concat([Buffer.of(0x1f, 0x8b), Buffer.from(text)]), 'invalid-har', /gzip is damaged/);
  await refused(text.replace('2020-11-15T', 'soon'), 'invalid-har', /entry 0 .*has startedDateTime "soon/);
  await refused(text.replace('"url"', '"uri"'), 'invalid-har', /entry 0 has no request\.url/);
  await refused(`{"log":{"entries":[${'['.repeat(100_000)}`, 'invalid-har', /nested more than 64 deep/);
  await refused(`{"log":{"entries":[{"x":"${'y'.repeat(34 * 2 ** 20)}"}]}}`, 'body-too-large', /has an entry of more than/, 413);
  await refused(gzipSync(Buffer.alloc(600 * 2 ** 20, '      ')), 'body-too-large', /has an entry of more than|unpacks to more than/, 413);
  assert.equal((await send(api, text, 'text/plain')).status, 415);
  assert.deepEqual((await api.get('/imports')).body.items, []);
});

test('a byte order mark, as some browsers write, does no harm', async (t) => {
  const api = await testApi(t);
  assert.equal((await send(api, `\ufeff${JSON.stringify(harOf(entry('a.example', '2020-11', {})))}`)).status, 201);
});

test('an import is stored in steps between which others are answered, and counts once all of it is there; it is forgotten so, too', async (t) => {
  const api = await testApi(t);
  const hosts = 5_000;
  const har = JSON.stringify(harOf(...Array.from({ length: hosts }, (_, n) => entry(`h${n}.example`, '2020-11', {}))));
  const rows = () => api.app.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM import_hosts').get()?.n ?? 0;
  /** What others see of the rows in between, and that of half of them nothing is told. */
  const watched = async <T>(work: Promise<T>): Promise<[T, number[]]> => {
    const seen = new Set<number>();
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const there = rows();
      if (there > 0 && there < hosts) {
        seen.add(there);
        assert.deepEqual((await api.get('/adoption')).body.months, []);
        assert.deepEqual((await api.get('/imports')).body.items, []);
      }
      await setImmediate();
    }
    return [await done, [...seen]];
  };
  const [made, coming] = await watched(send(api, har));
  assert.deepEqual([made.status, made.body.hosts, rows()], [201, hosts, hosts]);
  assert.ok(coming.length >= 5 && coming.every((there) => there % 500 === 0), `${coming}`);
  const [gone, going] = await watched(api.delete('/imports/1'));
  assert.deepEqual([gone.status, rows()], [204, 0]);
  assert.ok(going.length >= 5, `${going}`);
  assert.equal((await send(api, har)).status, 201, 'it can be imported again');
  const { items } = (await api.get('/audit')).body;
  assert.deepEqual(
    items.map(({ action, subject }: Record<string, unknown>) => [action, subject]),
    [
      ['import.create', '2'],
      ['import.delete', '1'],
      ['import.create', '1'],
    ],
  );
});

test('the same HAR that is sent twice at once counts once', async (t) => {
  const api = await testApi(t);
  const har = JSON.stringify(harOf(...Array.from({ length: 2_000 }, (_, n) => entry(`h${n}.example`, '2020-11', {}))));
  const both = await Promise.all([send(api, har), send(api, har)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 201]);
  assert.equal(both[0].body.id, both[1].body.id);
  assert.equal((await api.get('/adoption')).body.months[0].units, 2_000);
  assert.equal(api.app.database.prepare<[], { n: number }>('SELECT count(*) AS n FROM imports').get()?.n, 1);
});

test('two imports are read at a time, some wait, and more are refused', async (t) => {
  const api = await testApi(t);
  const text = (n: number) => JSON.stringify(harOf(entry(`h${n}.example`, '2020-11', {})));
  const held = [0, 1].map(() => new Readable({ read() {} }));
  const headers = { 'content-type': 'application/json' };
  const first = held.map(async (payload) => await api.app.inject({ method: 'POST', url: '/api/v1/imports/har', payload, headers }));
  const others = Array.from({ length: 21 }, (_, n) => send(api, text(n + 2)));
  const refused = await Promise.race(others);
  assert.deepEqual([refused.status, refused.body.type], [429, problemType('results-busy')]);
  assert.match(refused.body.detail, /^20 imports wait already\. Nothing was stored/);
  for (const [n, stream] of held.entries()) {
    stream.push(text(n));
    stream.push(null);
  }
  for (const reply of await Promise.all(first)) assert.equal(reply.statusCode, 201);
  const statuses = (await Promise.all(others)).map(({ status }) => status);
  assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 429).length], [20, 1]);
});

test('what a process that died left of an import is removed by a later one', async (t) => {
  const folder = testFolder(t);
  const database = join(folder, 'pronghorn.db');
  const before = await testApi(t, { database });
  const { database: open } = before.app;
  await before.app.commit(() =>
    open.exec(`INSERT INTO imports (createdAt, contentHash, pages, requests) VALUES ('2026-03-01T10:59:59.000Z', 'a', 1, 1), ('2026-03-01T11:30:00.000Z', 'b', 1, 1);
    INSERT INTO import_hosts SELECT id, '2020-11', 'a.example', '', '[]', 'unknown', 1, 1 FROM imports`),
  );
  await before.app.close();
  const { app } = await testApi(t, { database });
  await app.imports.removeAbandoned();
  assert.deepEqual(app.database.prepare('SELECT contentHash FROM imports').all(), [{ contentHash: 'b' }]);
});
