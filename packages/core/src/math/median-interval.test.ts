import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInterval } from './quantile.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i);

test('the interval of a median lies between the order statistics of the binomial tables', () => {
  // Conover's table A3, and R: qbinom(0.025, n, 0.5) is k.
  const cases: [n: number, k: number][] = [
    [6, 1],
    [8, 1],
    [9, 2],
    [10, 2],
    [12, 3],
    [15, 4],
    [20, 6],
    [25, 8],
    [50, 18],
    [100, 40],
    [2000, 956],
  ];
  for (const [n, k] of cases) assert.deepEqual(medianInterval(upTo(n)), { low: k, high: n - k + 1 }, `n = ${n}`);
});

test('five values are too few for 95 %, and enough for 90 %', () => {
  assert.equal(medianInterval(upTo(5)), null);
  assert.deepEqual(medianInterval(upTo(5), 0.9), { low: 1, high: 5 });
});

test('a sample that is empty or not of numbers is refused', () => {
  assert.throws(() => medianInterval([]), RangeError);
  assert.throws(() => medianInterval([Number.NaN]), RangeError);
  assert.throws(() => medianInterval([1], 1), /confidence is 1/);
});
