import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDatabase } from '../../../testing/made-database.ts';
import { testFolder } from '../../../testing/test-api.ts';
import { openDesks } from './results-desk.ts';
import { resultsFileOf } from './results-file.ts';

test('what anybody may ask is refused when a hundred such computations wait, what the service needs is not', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 1, sites: 1, conditions: 1, rounds: 1 }]);
  const desk = openDesks({ database, file: () => resultsFileOf(database), now: () => 0 });
  const compare = (baselineId: number) => desk.run({ kind: 'compare', campaignId: 1, baselineId, metric: 'onLoad', asOf: 0 });
  const accepted = Array.from({ length: 101 }, (_, i) => compare(1_000 + i)); // one is begun
  const again = compare(1_100);
  await assert.rejects(compare(1), { kind: 'results-busy' });
  const needed = desk.run({ kind: 'forget', campaignId: 7, asOf: 0 });
  assert.deepEqual(new Set(await Promise.all([...accepted, again, needed])), new Set([null]));
  await desk.close();
});
