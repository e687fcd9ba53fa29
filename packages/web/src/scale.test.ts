import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domain, linear, stack, ticks } from '../public/chart/scale.js';

test('ticks are round numbers within the range', () => {
  assert.deepEqual(ticks(386, 512, 5), [400, 450, 500]);
  assert.deepEqual(ticks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(0.11, 0.42, 3), [0.2, 0.4]);
  assert.deepEqual(ticks(7, 7, 5), [7]);
});

test('ticks are about as many as asked for, over any range', () => {
  for (const high of [1e-6, 0.37, 9, 1234, 8e12]) {
    const made = ticks(0, high, 5);
    assert.ok(made.length >= 3 && made.length <= 7, `${made}`);
    assert.ok(made.every((tick) => tick >= 0 && tick <= high * 1.000001));
  }
});

test('a domain has air around its values, but no negative times', () => {
  assert.deepEqual(domain([100, 200]), [96, 204]);
  assert.deepEqual(domain([0, 100]), [0, 104]);
  const [low, high] = domain([50]);
  assert.ok(low < 50 && high > 50);
  assert.ok(domain([0])[1] > 0);
});

test('a scale maps the ends of its domain to the ends of its range', () => {
  const x = linear([100, 200], [10, 110]);
  assert.deepEqual([100, 150, 200].map(x), [10, 60, 110]);
});

test('dots in the same place stand beside each other, alone ones in the middle', () => {
  assert.deepEqual(stack([10, 10.1, 30, 10.2, 10.3], 5), [0, 1, 0, -1, 2]);
});
