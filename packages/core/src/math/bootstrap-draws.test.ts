import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawsOf } from './bootstrap-draws.ts';

test('draws are kept for the next caller, those of thousands of rounds only until others are made', () => {
  const few = drawsOf(20, 2000, 1);
  const many = drawsOf(4000, 2000, 1);
  assert.equal(drawsOf(20, 2000, 1), few);
  assert.equal(drawsOf(4000, 2000, 1), many);
  drawsOf(4001, 2000, 1);
  const again = drawsOf(4000, 2000, 1);
  assert.notEqual(again, many);
  assert.deepEqual(many.counts, again.counts);
});

test('what is kept stays within bounds: the oldest goes first', () => {
  const [first, last] = [drawsOf(50, 2000, 1), 200];
  for (let seed = 2; seed <= last; seed++) drawsOf(50, 2000, seed); // 0.2 MB each
  assert.notEqual(drawsOf(50, 2000, 1), first);
  assert.equal(drawsOf(50, 2000, last), drawsOf(50, 2000, last));
});
