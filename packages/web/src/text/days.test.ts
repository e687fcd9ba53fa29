import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { afterDay, startOfDay } from './times.ts';

before(() => {
  process.env.TZ = 'Europe/Berlin';
});

test('a day is the reader’s own, also where the clocks are changed', () => {
  assert.equal(startOfDay('2026-03-01'), '2026-02-28T23:00:00.000Z');
  assert.deepEqual([startOfDay('2026-03-29'), afterDay('2026-03-29')], ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
  assert.equal(afterDay('2026-12-31'), '2026-12-31T23:00:00.000Z');
});

test('what is no day is no moment', () => {
  assert.deepEqual([startOfDay(''), startOfDay('yesterday'), afterDay('2026-3-1')], [null, null, null]);
});
