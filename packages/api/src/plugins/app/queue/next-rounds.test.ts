import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf } from '@pronghorn/core/vocabulary';
import { planRounds } from './next-rounds.ts';

const spec = {
  seed: 5,
  conditions: [{ name: 'native', up: {}, down: {} }],
  views: ['cold' as const, 'warm' as const],
  protocols: ['h1' as const, 'h2' as const, 'h3' as const],
};
const planned40 = (siteIds: number[], of = spec) =>
  planRounds(of, siteIds, cellsOf({ ...of, sites: siteIds.map((id) => ({ id })) }), { first: 1, last: 40 });
const cellOf = (round: { siteId: number; condition: string; view: string }) => `${round.siteId} ${round.condition} ${round.view}`;

test('every site, condition and view has each of its rounds once, and a round visits each slot once', () => {
  const planned = planned40([10, 20, 30]);
  assert.equal(planned.length, 3 * 2 * 40);
  assert.equal(new Set(planned.map((round) => `${cellOf(round)} ${round.number}`)).size, planned.length);
  for (const { order } of planned) assert.deepEqual(order.toSorted(), [0, 1, 2]);
});

test('wherever a campaign is interrupted, no group is more than one round ahead of another', () => {
  const measured = new Map(planned40([10, 20, 30]).map((round) => [cellOf(round), 0]));
  for (const round of planned40([10, 20, 30])) {
    measured.set(cellOf(round), (measured.get(cellOf(round)) ?? 0) + 1);
    assert.ok(Math.max(...measured.values()) - Math.min(...measured.values()) <= 1);
    assert.equal(measured.get(cellOf(round)), round.number);
  }
});

test('the seed decides the plan', () => {
  assert.deepEqual(planned40([10, 20]), planned40([10, 20]));
  assert.notDeepEqual(planned40([10, 20]), planned40([10, 20], { ...spec, seed: 6 }));
});

test('each order of the slots comes about equally often, and so does each place of a group in its replicate', () => {
  const cells = cellsOf({ ...spec, views: ['cold'], sites: [{ id: 1 }, { id: 2 }, { id: 3 }] });
  const planned = planRounds(spec, [1, 2, 3], cells, { first: 1, last: 600 });
  const orders = Map.groupBy(planned, ({ order }) => order.join());
  assert.equal(orders.size, 6);
  for (const [order, rounds] of orders) assert.ok(Math.abs(rounds.length - 300) < 80, `${order}: ${rounds.length} of 1800`); // 5 σ
  const firsts = planned.filter((_, index) => index % 3 === 0).filter(({ siteId }) => siteId === 1).length;
  assert.ok(Math.abs(firsts - 200) < 58, `site 1 came first in ${firsts} of 600 replicates`); // 5 σ
});

test('of as many rounds as there are slots each slot comes first in one, whichever rounds are planned together', () => {
  for (const protocols of [['h2', 'h3'] as const, ['h1', 'h2', 'h3'] as const, ['h2', 'h2', 'h3', 'h3'] as const]) {
    const of = { ...spec, protocols: [...protocols] };
    const cells = cellsOf({ ...of, sites: [{ id: 10 }, { id: 20 }] });
    const parts = [
      { first: 1, last: 5 },
      { first: 6, last: 7 },
      { first: 8, last: 24 },
    ].flatMap((numbers) => planRounds(of, [10, 20], cells, numbers));
    for (const [cell, rounds] of Map.groupBy(parts, cellOf)) {
      const leaders = rounds.map(({ order }) => order[0]);
      for (let at = 0; at < leaders.length; at += protocols.length)
        assert.equal(new Set(leaders.slice(at, at + protocols.length)).size, protocols.length, `${cell}: ${leaders.join(' ')}`);
    }
  }
});

test('rounds that are added later go on counting, in an order of their own', () => {
  const cells = cellsOf({ ...spec, sites: [{ id: 10 }, { id: 20 }] });
  const later = planRounds(spec, [10, 20], cells, { first: 41, last: 60 });
  assert.deepEqual(
    [...new Set(later.map(({ number }) => number))],
    Array.from({ length: 20 }, (_, index) => 41 + index),
  );
  assert.equal(later.length, cells.length * 20);
  assert.notDeepEqual(
    later.map(({ order }) => order),
    planned40([10, 20])
      .slice(0, later.length)
      .map(({ order }) => order),
  );
});
