import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAssertion } from '@pronghorn/core/text';
import { makeDatabase } from '../../../testing/made-database.ts';
import { testFolder } from '../../../testing/test-api.ts';
import { openWorkerPool } from './worker-pool.ts';

test('what anybody may ask is refused when a hundred such computations wait, what the service needs is not', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 1, sites: 1, conditions: 1, rounds: 1 }]);
  const pool = openWorkerPool({ database, now: () => 0 });
  const compare = (baselineId: number) => pool.run('compare', { campaignId: 1, baselineId, metric: 'onLoad' });
  const accepted = Array.from({ length: 101 }, (_, i) => compare(1_000 + i)); // one is begun
  const again = compare(1_100);
  await assert.rejects(compare(1), { kind: 'results-busy' });
  const needed = pool.run('results', { campaignId: 7 });
  assert.deepEqual(new Set(await Promise.all([...accepted, again, needed])), new Set([undefined]));
  await pool.close();
});

test('a pipeline’s gate does not wait behind what viewers ask', async (t) => {
  const database = join(testFolder(t), 'pronghorn.db');
  makeDatabase(database, [{ campaigns: 1, sites: 3, conditions: 2, rounds: 30 }]);
  const pool = openWorkerPool({ database, now: () => 0 });
  const rules = { assertions: [parseAssertion('onLoad p75 h3 <= 1 s')] };
  await pool.run('gate', { campaignId: 1, rules }); // its thread has started
  const order: string[] = [];
  const filter = { condition: null, view: null, protocol: null, branch: null, since: null, until: null };
  const looks = Array.from({ length: 60 }, (_, place) =>
    pool
      .run('trends', { siteIds: [1, 2, 3], metric: 'onLoad', filter, campaigns: 20 + place, withIntervals: true })
      .then(() => order.push('trend')),
  );
  const gate = pool.run('gate', { campaignId: 1, rules }).then(() => order.push('gate'));
  await Promise.all([...looks, gate]);
  assert.ok(order.indexOf('gate') < 40, `it came after ${order.indexOf('gate')} of ${looks.length} trends`);
  await pool.close();
});
