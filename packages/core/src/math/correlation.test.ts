import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pair, pearson, spearman } from './agreement.ts';

const isNear = (found: number | null, expected: number) =>
  assert.ok(found !== null && Math.abs(found - expected) < 1e-12, `${found} is not ${expected}`);

// By hand: means 3 and 4; Σdxdy = 7, Σdx² = 10, Σdy² = 10.
const pairs: Pair[] = [
  [1, 2],
  [2, 4],
  [3, 5],
  [4, 3],
  [5, 6],
];

test('Pearson’s correlation is that of the textbook', () => {
  isNear(pearson(pairs), 0.7);
  isNear(pearson(pairs.map(([x, y]) => [x, -y])), -0.7);
});

test('Spearman’s correlation is of ranks, and equal values share theirs', () => {
  isNear(spearman(pairs), 0.7);
  isNear(spearman(pairs.map(([x, y]) => [x ** 5, y])), 0.7);
  isNear(
    pearson([
      [1, 1],
      [2, 2],
      [3, 100],
    ]) as number,
    pearson([
      [10, 1],
      [20, 2],
      [30, 100],
    ]) as number,
  );
  // Ranks 1.5 1.5 3 against 1 2 3: 1.5 ÷ √(1.5 · 2).
  isNear(
    spearman([
      [7, 1],
      [7, 2],
      [9, 3],
    ]),
    Math.sqrt(0.75),
  );
});

test('two pairs, and a side that does not vary, have no correlation', () => {
  assert.equal(pearson(pairs.slice(0, 2)), null);
  assert.equal(pearson(pairs.map(([x]) => [x, 0.1])), null);
  assert.equal(spearman(pairs.map(([, y]) => [0.1, y])), null);
  assert.throws(() => pearson([...pairs, [Number.POSITIVE_INFINITY, 1]]), RangeError);
});
