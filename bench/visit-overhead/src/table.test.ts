import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from './overhead.ts';
import { goals, table } from './table.ts';

const row = (name: string, oneMoreMs: number | null, apartMs: number | null = null): Row => ({
  name,
  visits: 3,
  invalid: 0,
  loadMs: 180,
  speedIndexMs: null,
  oneMoreMs,
  apartMs,
  oneCommandMs: null,
});

test('every line of the table is as wide as its head, and what was not measured is a dash', () => {
  const lines = table([row('pronghorn', 300), row('video-default', 24_000)], 300).split('\n');
  assert.deepEqual(new Set(lines.map((line) => line.length)).size, 1);
  assert.match(lines[2] ?? '', /^video-default +3 +0 +180 +- +24\.00 +80\.0 +- +-$/);
});

test('a goal that is met at its limit is met, one that is missed is called so', () => {
  assert.deepEqual(
    goals([row('pronghorn', 350, 250), row('tuned', 3_000), row('video-default', 7_000), row('video-tuned', 6_930)]).map(
      (line) => line.split(':')[0],
    ),
    ['met', 'met', 'missed'],
  );
});

test('without a valid visit of Pronghorn no goal is called met', () => {
  assert.deepEqual(goals([row('pronghorn', null), row('video-default', 7_000)]), ['No valid visit of Pronghorn: no goal can be judged.']);
});
