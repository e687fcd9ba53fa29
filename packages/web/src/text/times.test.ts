import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ago, relative, span, timeIn } from './times.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const at = (ms: number) => new Date(now + ms).toISOString();

test('a time is told by its distance, with one unit', () => {
  assert.deepEqual(
    [-500, -12_000, -180_000, -7_200_000, -3 * 86_400_000].map((ms) => relative(at(ms), now)),
    ['just now', '12 s ago', '3 min ago', '2 h ago', '3 days ago'],
  );
  assert.deepEqual(
    [90_000, 5 * 3_600_000, 47 * 3_600_000].map((ms) => relative(at(ms), now)),
    ['in 2 min', 'in 5 h', 'in 47 h'],
  );
  assert.equal(relative('sometime', now), 'sometime');
  assert.equal(span(59_700), '1 min', 'never 60 s');
});

test('what has happened is never said to come, however far the page’s clock stands behind', () => {
  assert.deepEqual(
    [-180_000, -400, 0, 2000, 9_400].map((ms) => ago(at(ms), now)),
    ['3 min ago', 'just now', 'just now', 'just now', 'just now'],
  );
  assert.equal(ago('sometime', now), 'sometime');
});

test('a time is written in the zone that is asked for', () => {
  assert.equal(timeIn('2026-03-02T01:30:00.000Z', 'Europe/Berlin'), 'Mon, 2 Mar 2026, 02:30');
  assert.equal(timeIn('2026-07-02T00:30:00.000Z', 'America/New_York'), 'Wed, 1 Jul 2026, 20:30');
  assert.equal(timeIn('2026-03-02T01:30:00.000Z', 'No/Where'), 'Mon, 2 Mar 2026, 01:30 UTC');
});
