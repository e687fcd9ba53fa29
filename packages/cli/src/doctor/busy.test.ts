import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busyWords } from './busy.ts';

test('a machine is busy from a load of half of its cores on', () => {
  assert.equal(busyWords(12.84, 2), 'busy now (load 12.8 on 2 cores): visits will be invalid until it is idle');
  assert.match(busyWords(0.6, 1) ?? '', /load 0\.6 on 1 core\)/);
  assert.deepEqual([busyWords(1, 2), busyWords(0, 1)], [undefined, undefined]);
});
