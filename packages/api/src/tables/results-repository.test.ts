import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultsVersion } from '@pronghorn/core/campaign';
import { openDatabase } from '../storage/database.ts';
import { type CellRow, createResultsRepository, resultsOf, summaryOf } from './results-repository.ts';

const any = { siteId: null, condition: null, view: null };
const minute = 60_000;
const versionOf = (name: string) => `${resultsVersion}.${name}`;

function repositoryInMemory() {
  const database = openDatabase(':memory:');
  database.exec(`INSERT INTO campaigns (id, createdAt, state, spec) VALUES (1, '', 'done', '{}'), (2, '', 'done', '{}')`);
  const kept = createResultsRepository(database);
  const cells = (name: string): CellRow[] => [{ siteId: name, condition: 'native', view: 'cold', outline: [], document: '{}' }];
  const keep = (campaignId: number, name: string, asOf: number, version = versionOf(name), written: Iterable<CellRow> = cells(name)) => {
    kept.keep(resultsOf(campaignId), { version, asOf }, written, () => ({ outline: {}, document: JSON.stringify({ name }), tookMs: 1 }));
    return kept.newest(resultsOf(campaignId))?.key ?? 0;
  };
  const newest = (campaignId: number) => kept.newest(resultsOf(campaignId))?.version;
  const rows = () => database.prepare('SELECT count(*) FROM results WHERE siteId IS NOT NULL').pluck().get();
  return { database, kept, keep, newest, cells, rows };
}

test('nobody sees results before they are written to the end', () => {
  const { kept, keep, newest, cells } = repositoryInMemory();
  keep(1, 'one', 0);
  function* seen() {
    yield* cells('two');
    assert.equal(newest(1), versionOf('one'));
  }
  const key = keep(1, 'two', 1, versionOf('two'), seen());
  assert.deepEqual([newest(1), kept.textOf(key, 0)], [versionOf('two'), '{"name":"two"}']);
});

test('results that were replaced can be read for ten minutes, then they are deleted', () => {
  const { kept, keep, newest, rows } = repositoryInMemory();
  const first = keep(1, 'one', 0);
  keep(1, 'two', minute);
  keep(2, 'another campaign', 0);
  kept.sweep(10 * minute);
  assert.equal(kept.isWhole(first), true);
  assert.equal(kept.cells(first, any, { after: 0, limit: 9 })[0]?.siteId, 'one');
  kept.sweep(12 * minute);
  assert.equal(kept.isWhole(first), false);
  assert.deepEqual([newest(1), newest(2), rows()], [versionOf('two'), versionOf('another campaign'), 2]);
});

test('what a process began and never finished is deleted after an hour', () => {
  const { database, kept, keep, rows } = repositoryInMemory();
  keep(1, 'one', 0);
  database.exec('UPDATE results SET document = NULL WHERE siteId IS NULL');
  kept.sweep(59 * minute);
  assert.equal(rows(), 1);
  kept.sweep(61 * minute);
  assert.equal(rows(), 0);
});

test('what other statistics computed is deleted', () => {
  const { kept, keep, newest } = repositoryInMemory();
  keep(1, 'old', 0, '0.12');
  keep(2, 'new', 0);
  kept.sweep(minute);
  assert.deepEqual([newest(1), newest(2)], [undefined, versionOf('new')]);
});

test('an older summary does not take the place of a newer one', () => {
  const { kept } = repositoryInMemory();
  const put = (version: string, asOf: number) =>
    kept.putSummary(1, { version, asOf, tookMs: 1 }, { state: 'running', verdicts: [] }, Buffer.from(version));
  const version = () => kept.newest(summaryOf(1))?.version;
  put('new', 100_002);
  put('old', 100_001);
  assert.equal(version(), 'new');
  put('after the clock was set back', 2);
  assert.equal(version(), 'after the clock was set back');
});

test('all that a campaign has a part in is deleted a few rows at a time, and nothing of another', () => {
  const { kept, keep, newest, rows } = repositoryInMemory();
  keep(1, 'one', 0);
  keep(2, 'two', 0);
  kept.putSummary(1, { version: 'one', asOf: 0, tookMs: 1 }, { state: 'done', verdicts: [] }, Buffer.from(''));
  assert.deepEqual([kept.deleteSome(1, 2), kept.deleteSome(1, 2)], [2, 1]);
  assert.deepEqual([newest(1), kept.newest(summaryOf(1)), newest(2), rows()], [undefined, undefined, versionOf('two'), 1]);
});
