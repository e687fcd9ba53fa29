import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { metricNames } from '@pronghorn/core/vocabulary';
import Sqlite from 'better-sqlite3';
import { testFolder } from '../testing/test-api.ts';
import { openDatabase } from './database.ts';
import { type Migration, migrate, readMigrations } from './migrate.ts';

const columnsOf = (database: Sqlite.Database, table: string) =>
  (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
const versionOf = (database: Sqlite.Database) => database.pragma('user_version', { simple: true });
const first: Migration = {
  version: 1,
  name: '0001-pages.sql',
  sql: 'CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL) STRICT',
};
const second: Migration = { version: 2, name: '0002-titles.sql', sql: `ALTER TABLE pages ADD COLUMN title TEXT NOT NULL DEFAULT 'none'` };

test('an existing database is brought on from where it is, with all that is in it', () => {
  const database = new Sqlite(':memory:');
  migrate(database, [first]);
  database.exec(`INSERT INTO pages (url) VALUES ('https://a.example/')`);
  migrate(database, [first, second]);
  assert.equal(versionOf(database), 2);
  assert.deepEqual(database.prepare('SELECT * FROM pages').all(), [{ id: 1, url: 'https://a.example/', title: 'none' }]);
  migrate(database, [first, second]); // nothing is left to do
  assert.equal(versionOf(database), 2);
});

test('when a migration fails, those before it are taken back too, and the message names it', () => {
  const database = new Sqlite(':memory:');
  migrate(database, [first]);
  const broken: Migration = { version: 3, name: '0003-broken.sql', sql: 'CREATE TABLE more (a); DROP TABLE missing' };
  assert.throws(
    () => migrate(database, [first, second, broken]),
    /0003-broken\.sql failed \(no such table: missing\)\. Nothing was changed/,
  );
  assert.equal(versionOf(database), 1);
  assert.deepEqual(columnsOf(database, 'pages'), ['id', 'url']);
  assert.equal(database.pragma('foreign_keys', { simple: true }), 1);
});

test('a migration that leaves a reference to nothing is taken back', () => {
  const database = new Sqlite(':memory:');
  migrate(database, [first]);
  const dangling: Migration = {
    version: 2,
    name: '0002-links.sql',
    sql: 'CREATE TABLE links (page INTEGER REFERENCES pages (id)) STRICT; INSERT INTO links VALUES (5)',
  };
  assert.throws(() => migrate(database, [first, dangling]), /after 0002-links\.sql, links refers to missing pages/);
  assert.equal(versionOf(database), 1);
});

test('a table can be rebuilt without losing the rows that refer to it', () => {
  const database = new Sqlite(':memory:');
  const links: Migration = {
    version: 2,
    name: '0002-links.sql',
    sql: 'CREATE TABLE links (page INTEGER REFERENCES pages (id) ON DELETE CASCADE) STRICT',
  };
  migrate(database, [first, links]);
  database.exec(`INSERT INTO pages (url) VALUES ('a'); INSERT INTO links VALUES (1)`);
  const rebuild: Migration = {
    version: 3,
    name: '0003-rebuild.sql',
    sql: 'CREATE TABLE fresh (id INTEGER PRIMARY KEY, url TEXT NOT NULL) STRICT; INSERT INTO fresh SELECT * FROM pages; DROP TABLE pages; ALTER TABLE fresh RENAME TO pages',
  };
  migrate(database, [first, links, rebuild]);
  assert.deepEqual(database.prepare('SELECT * FROM links').all(), [{ page: 1 }]);
});

test('a database of a newer release is refused, names its file, and stays as it is', (t) => {
  const file = join(testFolder(t), 'newer.db');
  const database = openDatabase(file);
  database.pragma('user_version = 9999');
  database.close();
  assert.throws(
    () => openDatabase(file),
    /newer\.db has schema version 9999, and this Pronghorn knows versions up to \d+: a newer Pronghorn made it/,
  );
  const after = new Sqlite(file);
  assert.equal(versionOf(after), 9999);
  after.close();
});

test('each migration of this release has a number of its own, in rising order', () => {
  const versions = readMigrations().map(({ version }) => version);
  assert.deepEqual(
    versions,
    [...new Set(versions)].sort((a, b) => a - b),
  );
});

test('every metric has a column', () => {
  const database = openDatabase(':memory:');
  const columns = new Set(columnsOf(database, 'visits'));
  assert.deepEqual(
    metricNames.filter((name) => !columns.has(name)),
    [],
  );
  database.close();
});
