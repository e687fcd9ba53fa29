import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { testFolder } from '../../../testing/test-api.ts';
import { OtherLayout, openResultsFile, resultsFileOf } from './results-file.ts';
import { createResultsStore } from './results-store.ts';

test('results are kept beside their database', () => {
  assert.equal(resultsFileOf('/data/pronghorn.db'), '/data/pronghorn.results.db');
  assert.equal(resultsFileOf('/data/other'), '/data/other.results.db');
  assert.equal(resultsFileOf(':memory:'), ':memory:');
});

test('a file of an older layout is emptied, one of this layout is kept', (t) => {
  const file = join(testFolder(t), 'kept.results.db');
  const count = (database: Sqlite.Database) => database.prepare<[], { n: number }>('SELECT count(*) AS n FROM campaigns').get()?.n;
  const first = openResultsFile(file);
  first.prepare(`INSERT INTO campaigns (campaignId, version, asOf) VALUES (1, 'one', 0)`).run();
  first.close();
  const second = openResultsFile(file);
  assert.equal(count(second), 1);
  second.pragma('user_version = 1');
  second.close();
  const third = openResultsFile(file);
  assert.equal(count(third), 0);
  third.close();
});

test('a file that a newer release keeps is written to no more', (t) => {
  const file = join(testFolder(t), 'kept.results.db');
  const first = openResultsFile(file);
  const store = createResultsStore(first);
  store.begin(1, 'one', 0);
  const newer = new Sqlite(file);
  newer.exec('DROP TABLE campaigns; CREATE TABLE campaigns (other TEXT); PRAGMA user_version = 999');
  assert.throws(() => store.begin(1, 'two', 0), /kept\.results\.db, which keeps results, was made anew by another release/);
  first.close();
  assert.equal(newer.prepare('SELECT count(*) FROM campaigns').pluck().get(), 0);
  newer.close();
});

test('a file that is made anew between the look at it and the writing is not written to', (t) => {
  const file = join(testFolder(t), 'kept.results.db');
  const first = openResultsFile(file);
  t.after(() => first.close());
  const { begin } = createResultsStore(first);
  const newer = new Sqlite(file);
  t.after(() => newer.close());
  newer.pragma('user_version = 999');
  assert.throws(() => begin(1, 'one', 0), OtherLayout);
  assert.equal(newer.prepare('SELECT count(*) FROM campaigns').pluck().get(), 0);
});

test('another program’s file is left as it is', (t) => {
  const file = join(testFolder(t), 'other.db');
  const other = new Sqlite(file);
  other.exec('CREATE TABLE notes (text TEXT)');
  other.close();
  assert.throws(() => openResultsFile(file), /other\.db, which keeps results, cannot be opened \(it belongs to another program\)/);
  const again = new Sqlite(file);
  assert.equal(again.pragma('journal_mode', { simple: true }), 'delete');
  again.close();
});
