import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import Sqlite from 'better-sqlite3';
import { startApi } from './server.ts';
import { openDatabase } from './storage/database.ts';
import { readMigrations } from './storage/migrate.ts';
import { testFolder } from './testing/test-api.ts';

/** A database of this version, and migrations of a later one: ours and what is given. */
function laterVersion(folder: string, steps: readonly string[]): { file: string; migrations: string; database: Sqlite.Database } {
  const [file, migrations] = [join(folder, 'pronghorn.db'), join(folder, 'migrations')];
  cpSync(join(import.meta.dirname, 'storage/migrations'), migrations, { recursive: true });
  const newest = readMigrations().at(-1)?.version ?? 0;
  for (const [place, sql] of steps.entries())
    writeFileSync(join(migrations, `${String(newest + 1 + place).padStart(4, '0')}-later.sql`), sql);
  openDatabase(file).close();
  return { file, migrations, database: new Sqlite(file) };
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('while the schema is brought on the process lives, is not ready, and takes nothing; then it serves at the same place', async (t) => {
  const folder = testFolder(t);
  const steps = Array.from({ length: 12 }, (_, place) => `CREATE TABLE later_${place} (id INTEGER PRIMARY KEY) STRICT`);
  const { file, migrations, database: other } = laterVersion(folder, steps);
  other.pragma('journal_mode = WAL');
  other.exec('BEGIN IMMEDIATE'); // holds up the thread that migrates, as a long step would
  // Addresses of its own: nobody else takes these ports before the service does.
  const [host, metricsHost] = ['127.45.67.92', '127.45.67.93'];
  const [port, metricsPort] = [await freePort(host), await freePort(metricsHost)];
  const stream = new PassThrough();
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  const starting = startApi({
    ...{ database: file, evidenceDirectory: join(folder, 'evidence'), migrations, host, port },
    metricsAt: { host: metricsHost, port: metricsPort },
    logger: { level: 'info', pretty: false, stream },
  });
  assert.equal(JSON.parse((await lines.next()).value ?? '').event, 'migrating');

  const url = `http://${host}:${port}`;
  const health = await fetch(`${url}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { status: 'migrating' }]);
  for (const base of [url, `http://${metricsHost}:${metricsPort}`]) {
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
  const quick = 'CREATE TABLE notes (text TEXT NOT NULL) STRICT';
  const long = `INSERT INTO notes WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 3000000)
    SELECT hex(number) FROM numbers`; // takes seconds
  const { file, migrations, database: before } = laterVersion(folder, [quick, long]);
  const version = before.pragma('user_version', { simple: true }) as number;
  before.exec(`INSERT INTO sites (url, expectStatus) VALUES ('https://a.example/', 200)`);
  before.close();

  const program = `import { startApi } from '${join(import.meta.dirname, 'server.ts')}';
    await startApi({ database: '${file}', evidenceDirectory: '${join(folder, 'evidence')}', migrations: '${migrations}', logger: true });`;
  writeFileSync(join(folder, 'serve.ts'), program);
  const child = spawn(process.execPath, [join(folder, 'serve.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
  let isLong = false;
  for await (const line of createInterface({ input: child.stdout })) {
    isLong = JSON.parse(line).step === 2;
    if (isLong) break;
  }
  child.kill('SIGKILL');
  assert.ok(isLong, 'it got as far as the long step');
  await once(child, 'exit');
  const killed = new Sqlite(file);
  assert.equal(killed.pragma('user_version', { simple: true }), version);
  killed.close();

  const api = await startApi({ database: file, evidenceDirectory: join(folder, 'evidence'), migrations });
  await api.close();
  const after = new Sqlite(file);
  t.after(() => after.close());
  const count = (table: string) => after.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  assert.deepEqual([after.pragma('integrity_check', { simple: true }), count('sites'), count('notes')], ['ok', 1, 3_000_000]);
});

test('a schema that can not be brought on keeps the service from starting, in the words of whoever opens it', async (t) => {
  const folder = testFolder(t);
  const { file, migrations, database } = laterVersion(folder, ['DROP TABLE missing']);
  database.close();
  await assert.rejects(
    startApi({ database: file, evidenceDirectory: join(folder, 'evidence'), migrations }),
    /could not be migrated: .* failed .* Nothing was changed/,
  );
});
