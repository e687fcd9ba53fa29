import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { testFolder } from '../../../testing/test-api.ts';
import { openResultsFile, resultsFileOf } from './results-file.ts';

test('results are kept beside their database', () => {
  assert.equal(resultsFileOf('/data/pronghorn.db'), '/data/pronghorn.results.db');
  assert.equal(resultsFileOf('/data/other'), '/data/other.results.db');
  assert.equal(resultsFileOf(':memory:'), ':memory:');
});

test('a file of another layout is emptied, one of this layout is kept', (t) => {
  const file = join(testFolder(t), 'kept.results.db');
  const count = (database: Sqlite.Database) => database.prepare<[], { n: number }>('SELECT count(*) AS n FROM campaigns').get()?.n;
  const first = openResultsFile(file);
  first.prepare(`INSERT INTO campaigns (campaignId, version, asOf) VALUES (1, 'one', 0)`).run();
  first.close();
  const second = openResultsFile(file);
  assert.equal(count(second), 1);
  second.pragma('user_version = 999');
  second.close();
  const third = openResultsFile(file);
  assert.equal(count(third), 0);
  third.close();
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
