import assert from 'node:assert/strict';
import { test } from 'node:test';
import { midranks, tieSum } from './ranks.ts';

test('equal values share the mean of their places', () => {
  const { ranks, ties } = midranks([30, 10, 20, 10, 30, 30]);
  assert.deepEqual([...ranks], [5, 1.5, 3, 1.5, 5, 5]);
  assert.deepEqual(ties, [2, 3]);
  assert.equal(tieSum(ties), 6 + 24);
});

test('nothing has no ranks, one value rank 1', () => {
  assert.deepEqual([...midranks([]).ranks], []);
  assert.deepEqual(midranks([7]), { ranks: Float64Array.of(1), ties: [] });
  assert.equal(tieSum([]), 0);
});

test('numbers that arithmetic made tie within the tolerance, and only there', () => {
  const made = [0.1 + 0.2, 0.3, 0.30001, 0, 1e-300];
  assert.deepEqual([...midranks(made).ranks], [4, 3, 5, 1, 2]);
  assert.deepEqual([...midranks(made, 1e-9).ranks], [3.5, 3.5, 5, 1, 2]);
});

test('ranks always add up to n(n + 1)/2', () => {
  const values = Array.from({ length: 200 }, (_, i) => (i * 37) % 23);
  assert.equal(
    midranks(values).ranks.reduce((sum, rank) => sum + rank, 0),
    (200 * 201) / 2,
  );
});
