import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
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
