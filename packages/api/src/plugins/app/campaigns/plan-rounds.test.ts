import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planRounds } from './plan-rounds.ts';

const spec = {
  seed: 5,
  rounds: 40,
  conditions: [{ name: 'native', up: {}, down: {} }],
  views: ['cold' as const, 'warm' as const],
  protocols: ['h1' as const, 'h2' as const, 'h3' as const],
};
const groupOf = (round: { siteId: number; condition: string; view: string }) => `${round.siteId} ${round.condition} ${round.view}`;

test('every site, condition and view has each of its rounds once, and a round visits each slot once', () => {
  const planned = planRounds(spec, [10, 20, 30]);
  assert.equal(planned.length, 3 * 2 * 40);
  assert.equal(new Set(planned.map((round) => `${groupOf(round)} ${round.number}`)).size, planned.length);
  for (const { order } of planned) assert.deepEqual(order.toSorted(), [0, 1, 2]);
});

test('wherever a campaign is interrupted, no group is more than one round ahead of another', () => {
  const measured = new Map(planRounds(spec, [10, 20, 30]).map((round) => [groupOf(round), 0]));
  for (const round of planRounds(spec, [10, 20, 30])) {
    measured.set(groupOf(round), (measured.get(groupOf(round)) ?? 0) + 1);
    assert.ok(Math.max(...measured.values()) - Math.min(...measured.values()) <= 1);
    assert.equal(measured.get(groupOf(round)), round.number);
  }
});

test('the seed decides the plan', () => {
  assert.deepEqual(planRounds(spec, [10, 20]), planRounds(spec, [10, 20]));
  assert.notDeepEqual(planRounds(spec, [10, 20]), planRounds({ ...spec, seed: 6 }, [10, 20]));
});

test('each order of the slots comes about equally often, and so does each place of a group in its replicate', () => {
  const planned = planRounds({ ...spec, rounds: 600, views: ['cold'] }, [1, 2, 3]);
  const orders = Map.groupBy(planned, ({ order }) => order.join());
  assert.equal(orders.size, 6);
  for (const [order, rounds] of orders) assert.ok(Math.abs(rounds.length - 300) < 80, `${order}: ${rounds.length} of 1800`); // 5 σ
  const firsts = planned.filter((_, index) => index % 3 === 0).filter(({ siteId }) => siteId === 1).length;
  assert.ok(Math.abs(firsts - 200) < 58, `site 1 came first in ${firsts} of 600 replicates`); // 5 σ
});
