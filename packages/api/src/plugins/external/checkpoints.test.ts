import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import fastify from 'fastify';
import { testFolder } from '../../testing/test-api.ts';
import checkpoints from './checkpoints.ts';
import sqlite from './sqlite.ts';

test('under steady writing the write-ahead log is begun anew instead of growing for ever, and nothing is lost', {
  timeout: 60_000,
}, async (t) => {
  const file = join(testFolder(t), 'pronghorn.db');
  const app = fastify();
  t.after(() => app.close());
  await app.register(sqlite, { file });
  await app.register(checkpoints, { file, everyMs: 5, smallestBytes: 1, restartAbovePages: 50 });
  await app.commit(() => app.database.exec('CREATE TABLE written (value BLOB)'));
  const insert = app.database.prepare('INSERT INTO written VALUES (randomblob(20000))');
  let written = 0;
  // Never ends where the log only grows.
  while (written * 20000 < 3 * statSync(`${file}-wal`).size || written < 500) {
    await app.commit(() => insert.run());
    written += 1;
    await setImmediate();
  }
  assert.deepEqual(app.database.prepare('SELECT count(*) AS count FROM written').get(), { count: written });
  assert.equal(app.database.pragma('integrity_check', { simple: true }), 'ok');
});

test('where another program moves the log, nothing here does', async (t) => {
  const file = join(testFolder(t), 'pronghorn.db');
  const app = fastify();
  t.after(() => app.close());
  await app.register(sqlite, { file });
  const other = new Sqlite(file); // as Litestream, it stays open
  t.after(() => other.close());
  await app.register(checkpoints, { file, by: 'elsewhere', everyMs: 1, smallestBytes: 1, restartAbovePages: 1 });
  await app.commit(() => app.database.exec('CREATE TABLE written (value BLOB)'));
  const insert = app.database.prepare('INSERT INTO written VALUES (randomblob(20000))');
  const before = statSync(file).size;
  for (let written = 0; written < 1_000; written += 1) {
    await app.commit(() => insert.run());
    await setImmediate();
  }
  assert.equal(statSync(file).size, before, 'the database file is as it was');
  assert.ok(statSync(`${file}-wal`).size > 1_000 * 20_000, 'all of it is in the log');
});
