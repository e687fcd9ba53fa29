import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortCommit } from '../../text/format.ts';
import { bands, commitMarks, longestPause, steppedPoint } from './series.ts';

const night = (day: number, extra: object = {}) => ({
  at: new Date(Date.UTC(2026, 0, day)).toISOString(),
  value: 500,
  campaignId: String(day),
  interval: null as { low: number; high: number } | null,
  ...extra,
});

test('a pause much longer than usual is a gap; of a few campaigns none is', () => {
  assert.ok(longestPause([1, 2, 3, 4, 9].map((day) => night(day))) < 5 * 86_400_000);
  assert.equal(longestPause([night(1), night(20)]), Number.POSITIVE_INFINITY);
});

test('bands end at gaps and where there is no interval', () => {
  const interval = { low: 490, high: 510 };
  const points = [1, 2, 3, 4, 12, 13].map((day) => night(day, { interval }));
  points[1] = night(2);
  assert.deepEqual(
    bands(points).map((run) => run.length),
    [1, 2, 2],
  );
});

test('a commit is marked where it changes, once for all lines', () => {
  const points = [night(1, { commit: 'a' }), night(2, { commit: 'a' }), night(3), night(4, { commit: 'b' }), night(5, { commit: 'a' })];
  const series = (['h2', 'h3'] as const).map((protocol) => ({ name: protocol, protocol, points }));
  assert.deepEqual(
    commitMarks(series).map(({ commit }) => commit),
    ['a', 'b', 'a'],
  );
  assert.equal(shortCommit('0123456789abcdef0123'), '0123456');
  assert.equal(shortCommit('release-7'), 'release-7');
});

test('keys go from campaign to campaign, and to the other line at the same time', () => {
  const series = [
    { name: 'HTTP/2', protocol: 'h2' as const, points: [1, 2, 3].map((day) => night(day)) },
    { name: 'HTTP/3', protocol: 'h3' as const, points: [2, 3].map((day) => night(day)) },
  ];
  assert.deepEqual(steppedPoint('ArrowLeft', null, series), { row: 0, index: 2 });
  assert.deepEqual(steppedPoint('ArrowLeft', { row: 0, index: 0 }, series), { row: 0, index: 0 });
  assert.deepEqual(steppedPoint('ArrowDown', { row: 0, index: 1 }, series), { row: 1, index: 0 });
  assert.deepEqual(steppedPoint('ArrowDown', { row: 1, index: 1 }, series), { row: 1, index: 1 });
  assert.equal(steppedPoint('x', null, series), null);
});
