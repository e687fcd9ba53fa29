import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '@pronghorn/core/vocabulary';
import Sqlite from 'better-sqlite3';
import { startApi } from './server.ts';
import { testFolder } from './testing/test-api.ts';

const optionsIn = (folder: string) => ({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') });

test('the api starts on a free port of this machine, answers, and stops with its log written back', async (t) => {
  const folder = testFolder(t);
  const api = await startApi(optionsIn(folder));
  assert.match(api.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(await (await fetch(`${api.url}/api/v1/health`)).json(), { status: 'ok', version });
  assert.ok(existsSync(join(folder, 'pronghorn.db-wal')));
  await api.close();
  await assert.rejects(fetch(`${api.url}/api/v1/health`));
  assert.ok(!existsSync(join(folder, 'pronghorn.db-wal')));
});

test('the api ends although somebody holds a connection on which nothing was asked', async (t) => {
  const api = await startApi(optionsIn(testFolder(t)));
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  t.after(() => socket.destroy());
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  await fetch(`${api.url}/healthz`); // the server has taken the connection by then
  await api.close();
  await ended;
});

/** @returns their statuses, of campaigns that are created while another process holds the database. */
async function createLocked(url: string, count: number): Promise<number[]> {
  const body = JSON.stringify({ sites: [{ url: 'https://www.example.com/' }] });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  return Promise.all(Array.from({ length: count }, async () => (await fetch(`${url}/api/v1/campaigns`, request)).status));
}

for (const threads of [true, false])
  test(`changes that wait for a lock are refused together, each after its own wait (threads: ${threads})`, async (t) => {
    const options = { ...optionsIn(testFolder(t)), threads, lockWaitMs: 1_000 };
    const api = await startApi(options);
    const other = new Sqlite(options.database);
    other.exec('BEGIN IMMEDIATE');
    const waitOf = async (count: number) => {
      const start = performance.now();
      assert.deepEqual(await createLocked(api.url, count), Array(count).fill(503));
      return performance.now() - start;
    };
    await waitOf(1); // a service that has just started is slower
    const [one, six] = [await waitOf(1), await waitOf(6)];
    assert.ok(six < 3 * one, `six waited ${six} ms, one ${one} ms`);
    other.close();
    await api.close();
  });

test('the api ends at once though changes wait for a lock, and refuses them', async (t) => {
  const options = { ...optionsIn(testFolder(t)), threads: true, lockWaitMs: 3_600_000 };
  const api = await startApi(options);
  const other = new Sqlite(options.database);
  other.exec('BEGIN IMMEDIATE');
  const statuses = createLocked(api.url, 3);
  // Asked later and answered, so that these wait by then.
  for (let times = 0; times < 5; times++) await fetch(`${api.url}/healthz`);
  await api.close();
  assert.deepEqual(await statuses, [503, 503, 503]);
  other.close();
});

test('the dashboard is served at /, the api beside it, and nothing outside its folder', async (t) => {
  const folder = testFolder(t);
  const webRoot = join(folder, 'public');
  mkdirSync(webRoot);
  writeFileSync(join(webRoot, 'index.html'), '<title>Pronghorn</title>');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const api = await startApi({ ...optionsIn(folder), webRoot });
  t.after(() => api.close());
  const page = await fetch(`${api.url}/`);
  assert.deepEqual([page.headers.get('content-type'), await page.text()], ['text/html; charset=utf-8', '<title>Pronghorn</title>']);
  for (const path of ['/missing.js', '/..%2fsecret.txt', '/%2e%2e/secret.txt']) {
    const reply = await fetch(api.url + path);
    assert.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status}`);
    assert.equal(reply.headers.get('content-type'), 'application/problem+json');
  }
  assert.equal((await fetch(`${api.url}/api/v1/health`)).status, 200);
});

test('what cannot be used is named when the api starts', async (t) => {
  const folder = testFolder(t);
  const options = optionsIn(folder);
  const first = await startApi(options);
  t.after(() => first.close());
  const port = Number(new URL(first.url).port);
  await assert.rejects(startApi({ ...options, database: ':memory:', port }), {
    message: `The api cannot listen on 127.0.0.1, port ${port}: another program listens there. End it, or choose another port.`,
  });
  await assert.rejects(startApi({ ...options, webRoot: join(folder, 'none') }), /The dashboard's folder .*none is not there/);
  await assert.rejects(startApi({ ...options, database: folder }), /^Error: The database .* cannot be opened for writing/);
  writeFileSync(join(folder, 'file'), '');
  await assert.rejects(
    startApi({ ...options, evidenceDirectory: join(folder, 'file') }),
    /The evidence directory .*file cannot be written/,
  );
});

test('while access is open the api listens on the loopback alone; with tokens anywhere', async (t) => {
  const options = optionsIn(testFolder(t));
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com', '::ffff:127.0.0.1'])
    await assert.rejects(
      startApi({ ...options, host }),
      /may not listen on .* while access is open: whoever reaches it would be admin/,
      host,
    );
  assert.ok(!existsSync(options.database));
  for (const [host, access] of [['127.0.0.2', 'open'] as const, ['localhost', 'open'] as const, ['0.0.0.0', 'tokens'] as const]) {
    const api = await startApi({ ...options, host, access: { kind: access } });
    await api.close();
  }
});
