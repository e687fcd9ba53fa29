import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rememberedMs, Visits } from './visits.ts';

test('a visit is found by its id, and forgotten after a minute', () => {
  const visits = new Visits();
  const first = visits.start('steps', 0);
  assert.deepEqual(visits.find(first), { page: 'steps', arrivedMs: 0 });
  const second = visits.start('single', rememberedMs - 1);
  assert.ok(visits.find(first));
  visits.start('single', rememberedMs);
  assert.equal(visits.find(first), undefined);
  assert.ok(visits.find(second));
});

test('memory is bounded however many visits begin at once', () => {
  const visits = new Visits();
  for (let n = 0; n < 100_500; n++) visits.start('single', 0);
  assert.equal(visits.size, 100_000);
});
