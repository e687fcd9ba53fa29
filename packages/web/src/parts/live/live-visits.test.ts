import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLiveVisits, type LiveVisit } from './live-campaign.ts';

const visit = (at: number): LiveVisit => ({
  ...{ id: `visit ${at}`, siteId: '1', condition: 'native', view: 'cold', slot: 0, protocol: 'h2', roundNumber: at },
  startedAt: new Date(at * 1000).toISOString(),
  outcome: { verdict: 'invalid', reason: 'busy-machine', detail: '' },
});
const visits = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => visit(from + i));

test('a visit that comes twice, by the stream and by the list, is there once', () => {
  const live = createLiveVisits(100);
  assert.equal(live.add([visit(1), visit(2)]), 2);
  assert.equal(live.add([visit(2), visit(3), visit(3)]), 1);
  assert.deepEqual(
    live.all.map(({ roundNumber }) => roundNumber),
    [1, 2, 3],
  );
});

test('the oldest go first, whatever the order in which they were read, and don’t come back', () => {
  const live = createLiveVisits(100);
  const first = live.all;
  live.add(visits(400, 600));
  live.add(visits(0, 400));
  assert.equal(live.all, first, 'nothing is dropped before there are many');
  live.add(visits(600, 601));
  assert.equal(live.generation, 1);
  assert.deepEqual([live.all.length, live.all[0]?.roundNumber, live.all.at(-1)?.roundNumber], [100, 501, 600]);
  assert.equal(live.add([visit(3)]), 0);
});
