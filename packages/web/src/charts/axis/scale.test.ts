import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domain, linear, logTicks, ticks } from './scale.ts';

test('ticks are round numbers within the range, without the digits of floating point', () => {
  assert.deepEqual(ticks([0, 1], 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks([-0.2, 0.2], 4), [-0.2, -0.1, 0, 0.1, 0.2]);
  assert.deepEqual(ticks([412, 987], 3), [600, 800]);
  assert.ok(ticks([-1, 1], 4).every((tick) => !Object.is(tick, -0)));
});

test('ticks of a logarithmic axis are powers of ten, with numbers between where there is room, and linear ones within half a decade', () => {
  assert.deepEqual(logTicks([10, 1000], 10), [10, 20, 50, 100, 200, 500, 1000]);
  assert.deepEqual(logTicks([1, 1e6], 4), [1, 100, 10_000, 1_000_000]);
  assert.deepEqual(logTicks([400, 520], 4), [400, 450, 500]);
});

test('a logarithmic axis passes over what it cannot show', () => {
  assert.equal(domain([0, -3, Number.NaN], 'log'), null);
  const [low, high] = domain([0, 10, 1000], 'log') ?? [0, 0];
  assert.ok(low > 5 && low < 10 && high > 1000 && high < 1500);
});

test('the range of equal values is not empty, and times get no negative axis', () => {
  const [low, high] = domain([450, 450]) ?? [0, 0];
  assert.ok(low < 450 && high > 450);
  assert.equal(domain([1, 100])?.[0], 0);
  assert.equal(domain([]), null);
});

test('a value stands at its share of the pixels', () => {
  assert.equal(linear([0, 10], [100, 200])(2.5), 125);
});
