import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayWords } from './days.ts';

test('a day is one of UTC wherever its reader is, and has its year where it is another one', () => {
  const today = Date.parse('2026-11-28T12:00:00Z');
  assert.equal(dayWords('2026-03-09T23:30:00Z', today), '9 Mar');
  assert.equal(dayWords('2026-03-09T00:30:00Z', today), '9 Mar');
  assert.equal(dayWords('2025-11-20T12:00:00Z', today), '20 Nov 2025');
  assert.equal(dayWords('2025-11-20T12:00:00Z'), '20 Nov');
  assert.equal(dayWords('sometime', today), 'sometime');
});
