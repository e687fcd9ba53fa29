import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from 'better-sqlite3';
import { testApi } from '../testing/test-api.ts';
import { createVisitsRepository } from './visits-repository.ts';

test('visits of a round are found by the round, also while SQLite knows nothing of the tables', async (t) => {
  const { app } = await testApi(t);
  const plans: string[] = [];
  const { database } = app;
  // Each statement's plan as it is prepared, which is what will run.
  const watched = new Proxy(database, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            if (/ORDER BY eventId (ASC|DESC)/.test(sql) && sql.includes('@limit')) {
              const rows = target.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+/g, '1')}`).all() as { detail: string }[];
              plans.push(rows.map(({ detail }) => detail).join('; '));
            }
            return target.prepare(sql);
          }
        : target[name as keyof Database],
  });
  createVisitsRepository(watched);
  assert.equal(plans.length, 4);
  assert.equal(plans.filter((plan) => plan.includes('visits USING INDEX visits_of_round (roundId=?)')).length, 2, plans.join('\n'));
  assert.equal(plans.filter((plan) => plan.includes('visits USING INDEX visits_of_campaign (campaignId=?')).length, 2);
});
