import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GroupResults } from '@pronghorn/core/schemas';
import { openResultsFile } from './results-file.ts';
import { createResultsStore } from './results-store.ts';

const any = { siteId: null, condition: null, view: null };
const groups = (siteId: string): GroupResults[] => [
  {
    siteId,
    condition: 'native',
    view: 'cold',
    slots: [],
    notLoaded: null,
    h3Delta: {},
    connectionNote: null,
    sinceLook: null,
    comparisons: [],
    selfComparisons: [],
  },
];
const minute = 60_000;

function storeInMemory() {
  const database = openResultsFile(':memory:');
  const store = createResultsStore(database);
  const keep = (campaignId: number, version: string, asOf: number) => {
    const key = store.begin(campaignId, version, asOf);
    store.addGroups(key, groups(version), 1);
    store.finish(key, { version });
    return key;
  };
  const rows = () => database.prepare<[], { n: number }>('SELECT count(*) AS n FROM groups').get()?.n;
  return { store, keep, rows };
}

test('nobody sees results before they are written to the end', () => {
  const { store, keep } = storeInMemory();
  keep(1, 'one', 0);
  const key = store.begin(1, 'two', 1);
  store.addGroups(key, groups('two'), 1);
  assert.equal(store.newest(1)?.version, 'one');
  store.finish(key, { version: 'two' });
  assert.deepEqual([store.newest(1)?.version, store.newest(1)?.head], ['two', '{"version":"two"}']);
});

test('results that were replaced can be read for ten minutes, then they are deleted', () => {
  const { store, keep, rows } = storeInMemory();
  const first = keep(1, 'one', 0);
  keep(1, 'two', minute);
  keep(2, 'another campaign', 0);
  store.sweep(10 * minute, '');
  assert.equal(store.isWhole(first), true);
  assert.equal(JSON.parse(store.groups(first, any, { after: 0, limit: 9 })[0]?.text ?? '').siteId, 'one');
  store.sweep(12 * minute, '');
  assert.equal(store.isWhole(first), false);
  assert.deepEqual([store.newest(1)?.version, store.newest(2)?.version, rows()], ['two', 'another campaign', 2]);
});

test('what a process began and never finished is deleted after an hour', () => {
  const { store, rows } = storeInMemory();
  store.addGroups(store.begin(1, 'one', 0), groups('one'), 1);
  store.sweep(59 * minute, '');
  assert.equal(rows(), 1);
  store.sweep(61 * minute, '');
  assert.equal(rows(), 0);
});

test('what another release computed is deleted after a week', () => {
  const { store, keep } = storeInMemory();
  keep(1, 'old.12', 0);
  keep(2, 'new.12', 0);
  store.sweep(6 * 86_400_000, 'new');
  assert.equal(store.newest(1)?.version, 'old.12');
  store.sweep(8 * 86_400_000, 'new');
  assert.deepEqual([store.newest(1), store.newest(2)?.version], [undefined, 'new.12']);
});

test('an older summary does not take the place of a newer one', () => {
  const { store } = storeInMemory();
  const summary = (version: string, asOf: number) => ({
    version,
    asOf,
    tookMs: 1,
    state: 'running' as const,
    document: Buffer.from(version),
    verdicts: '[]',
  });
  store.putSummary(1, summary('new', 2));
  store.putSummary(1, summary('old', 1));
  assert.equal(store.summary(1)?.version, 'new');
});

test('forgetting a campaign deletes all of it, and nothing of another', () => {
  const { store, keep, rows } = storeInMemory();
  keep(1, 'one', 0);
  keep(2, 'two', 0);
  store.putSummary(1, { version: 'one', asOf: 0, tookMs: 1, state: 'done', document: Buffer.from(''), verdicts: '[]' });
  store.forget(1);
  assert.deepEqual([store.newest(1), store.summary(1), store.newest(2)?.version, rows()], [undefined, undefined, 'two', 1]);
});
