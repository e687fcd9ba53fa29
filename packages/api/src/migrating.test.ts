import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import Sqlite from 'better-sqlite3';
import { startApi } from './server.ts';
import { testFolder } from './testing/test-api.ts';

/** A database as an earlier release left it. */
function olderDatabase(file: string, sql = ''): Sqlite.Database {
  const database = new Sqlite(file);
  database.pragma('foreign_keys = OFF');
  database.exec(readFileSync(join(import.meta.dirname, 'storage/examples/0004.sql'), 'utf8') + sql);
  return database;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('while the schema is brought on the process lives, is not ready, and takes nothing; then it serves at the same place', async (t) => {
  const folder = testFolder(t);
  const file = join(folder, 'pronghorn.db');
  const other = olderDatabase(file);
  other.pragma('journal_mode = WAL');
  other.exec('BEGIN IMMEDIATE'); // holds up the thread that migrates, as a long step would
  const [port, metricsPort] = [await freePort(), await freePort()];
  const stream = new PassThrough();
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  const starting = startApi({
    ...{ database: file, evidenceDirectory: join(folder, 'evidence'), port },
    metricsAt: { host: '127.0.0.1', port: metricsPort },
    logger: { level: 'info', pretty: false, stream },
  });
  assert.equal(JSON.parse((await lines.next()).value ?? '').event, 'migrating');

  const url = `http://127.0.0.1:${port}`;
  const health = await fetch(`${url}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { status: 'migrating' }]);
  for (const base of [url, `http://127.0.0.1:${metricsPort}`]) {
    const ready = await fetch(`${base}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /The database is being brought to this version's schema: waits for the database; \d+ s so far\./);
  }
  for (const [method, path] of [
    ['GET', '/api/v1/campaigns'],
    ['POST', '/api/v1/leases'],
    ['GET', '/'],
  ] as const) {
    const reply = await fetch(url + path, { method });
    const problem = (await reply.json()) as { type: string };
    assert.deepEqual(
      [reply.status, reply.headers.get('content-type'), reply.headers.get('retry-after'), problem.type],
      [503, 'application/problem+json', '5', problemType('storage-busy')],
    );
  }

  other.exec('ROLLBACK');
  other.close();
  const api = await starting;
  t.after(() => api.close());
  assert.equal(api.url, url);
  assert.equal((await fetch(`${url}/api/v1/campaigns`)).status, 200);
  assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
  const events = [];
  for (let line = await lines.next(); ; line = await lines.next()) {
    const { event, step, steps, name } = JSON.parse(line.value ?? '');
    events.push(event);
    if (event === 'migrated') break;
    assert.ok(step >= 1 && step <= steps && /^\d{4}-.+\.sql$/.test(name), line.value);
  }
  assert.ok(events.length > 10);
});

test('a migration that was killed begins again, and nothing is lost', { timeout: 120_000 }, async (t) => {
  const folder = testFolder(t);
  const file = join(folder, 'pronghorn.db');
  // Enough requests that packing them takes a second.
  const before = olderDatabase(file);
  const columns = (before.pragma('table_info(resources)') as { name: string }[]).map(({ name }) => name);
  const copied = columns.map((name) => (name === 'seq' ? 'seq + 1000 * (number + 1)' : name)).join();
  before.exec(`INSERT INTO resources (${columns.join()}) WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers LIMIT 6000)
    SELECT ${copied} FROM resources, numbers WHERE visitSeq = (SELECT min(visitSeq) FROM resources)`);
  const count = (database: Sqlite.Database, table: string) =>
    (database.prepare(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count;
  const visits = count(before, 'visits');
  before.close();

  const program = `import { startApi } from '${join(import.meta.dirname, 'server.ts')}';
    await startApi({ database: '${file}', evidenceDirectory: '${join(folder, 'evidence')}', logger: true });`;
  writeFileSync(join(folder, 'serve.ts'), program);
  const child = spawn(process.execPath, [join(folder, 'serve.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  let packing = false;
  for await (const line of createInterface({ input: child.stdout })) {
    packing = JSON.parse(line).name?.startsWith('0012-') === true;
    if (packing) break;
  }
  child.kill('SIGKILL');
  assert.ok(packing, 'it got as far as the long step');
  await once(child, 'exit');
  const killed = new Sqlite(file);
  assert.equal(killed.pragma('user_version', { simple: true }), 4);
  killed.close();

  const api = await startApi({ database: file, evidenceDirectory: join(folder, 'evidence') });
  await api.close();
  const after = new Sqlite(file);
  t.after(() => after.close());
  assert.deepEqual([after.pragma('integrity_check', { simple: true }), count(after, 'visits')], ['ok', visits]);
});

test('a schema that can not be brought on keeps the service from starting, in the words of whoever opens it', async (t) => {
  const folder = testFolder(t);
  const file = join(folder, 'pronghorn.db');
  olderDatabase(file, 'DROP TABLE strings;').close();
  await assert.rejects(
    startApi({ database: file, evidenceDirectory: join(folder, 'evidence') }),
    /could not be migrated: .* failed .* Nothing was changed/,
  );
});
