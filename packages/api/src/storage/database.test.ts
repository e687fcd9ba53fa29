import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import fastify from 'fastify';
import { buildApi } from '../app.ts';
import sqlite from '../plugins/external/sqlite.ts';
import { testFolder } from '../testing/test-api.ts';
import { openDatabase } from './database.ts';

/** The message must name the file as well as what is wrong. */
const refusal = (file: string, words: RegExp) => (error: Error) => {
  assert.ok(error.message.startsWith(`The database ${file} `), error.message);
  assert.match(error.message, words);
  return true;
};

test('a database is made with its folder, and what is stored is there when it is opened again', (t) => {
  const file = join(testFolder(t), 'new', 'folder', 'pronghorn.db');
  const first = openDatabase(file);
  first.exec(`INSERT INTO sites (url, expectStatus) VALUES ('https://a.example/', 200)`);
  first.close();
  const second = openDatabase(file);
  assert.deepEqual(second.prepare('SELECT url FROM sites').all(), [{ url: 'https://a.example/' }]);
  assert.equal(second.pragma('journal_mode', { simple: true }), 'wal');
  assert.equal(second.pragma('synchronous', { simple: true }), 1); // NORMAL
  assert.equal(second.pragma('foreign_keys', { simple: true }), 1);
  second.close();
});

test('a file of another program is refused and stays as it is, byte for byte', (t) => {
  const file = join(testFolder(t), 'bookmarks.db');
  const other = new Sqlite(file);
  other.exec('CREATE TABLE bookmarks (url TEXT)');
  other.close();
  const before = readFileSync(file);
  assert.throws(() => openDatabase(file), refusal(file, /belongs to another program\. Name another file/));
  assert.deepEqual(readFileSync(file), before);
});

test('a file that is no database is refused and stays as it is', (t) => {
  const file = join(testFolder(t), 'notes.txt');
  writeFileSync(file, 'These are notes, long enough to be taken for a header of a database file, and then some more of them.');
  assert.throws(() => openDatabase(file), refusal(file, /is damaged or no SQLite database .*Move it away/));
  assert.match(readFileSync(file, 'utf8'), /^These are notes/);
});

test('a damaged schema is found when the database is opened', (t) => {
  const file = join(testFolder(t), 'damaged.db');
  openDatabase(file).close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, 100, 4096); // the first page behind its header: the schema
  writeFileSync(file, bytes);
  assert.throws(() => openDatabase(file), refusal(file, /is damaged or no SQLite database/));
});

test('a path that cannot be a file is refused with its reason', (t) => {
  const folder = testFolder(t);
  const asFolder = join(folder, 'folder.db');
  mkdirSync(asFolder);
  assert.throws(() => openDatabase(asFolder), refusal(asFolder, /cannot be opened for writing .*Check the path/));
  writeFileSync(join(folder, 'file'), '');
  const below = join(folder, 'file', 'x.db');
  assert.throws(() => openDatabase(below), refusal(below, /cannot be opened for writing/));
});

test('a database that another process holds is refused after the wait', (t) => {
  const file = join(testFolder(t), 'held.db');
  const holder = openDatabase(file);
  holder.exec('BEGIN IMMEDIATE');
  assert.throws(() => openDatabase(file, { busyTimeoutMs: 20 }), refusal(file, /is locked by another process/));
  holder.exec('ROLLBACK');
  openDatabase(file, { busyTimeoutMs: 20 }).close();
  holder.close();
});

test('a new data folder is for its owner alone, whatever the umask; one that its group may write to is for the group', async (t) => {
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  const modes = async (parent: string, names: readonly string[]) => {
    const app = await buildApi({ database: join(parent, 'pronghorn.db'), evidenceDirectory: join(parent, 'evidence') });
    const found = names.map((name) => (statSync(join(parent, name)).mode & 0o777).toString(8));
    await app.close();
    return found;
  };
  const files = ['.', 'pronghorn.db', 'pronghorn.db-wal', 'pronghorn.db-shm', 'evidence'];
  const own = join(testFolder(t), 'own');
  assert.deepEqual(await modes(own, files), ['700', '600', '600', '600', '700']);
  const shared = join(testFolder(t), 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o2770);
  assert.deepEqual(await modes(shared, files), ['770', '660', '660', '660', '770']);
});

test('a database that stays open has statistics for its query planner', async (t) => {
  const file = join(testFolder(t), 'pronghorn.db');
  const database = openDatabase(file);
  database.exec(`INSERT INTO strings (hash, value) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
    SELECT i, 'text ' || i FROM n`);
  database.close();
  const app = fastify();
  t.after(() => app.close());
  await app.register(sqlite, { file });
  const known = app.database.prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE name = 'sqlite_stat1'`).get();
  assert.ok(known, 'there are statistics');
  assert.match(String(app.database.prepare(`SELECT stat FROM sqlite_stat1 WHERE tbl = 'strings'`).pluck().get()), /^\d+ /);
});
