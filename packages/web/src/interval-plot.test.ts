import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalRange, marginBounds } from '../public/chart/interval-plot.js';

const at = (value: number, low: number, high: number) => ({ protocol: 'h3', value, interval: { low, high }, inner: null }) as const;

test('zero and the whole margin are on the axis, with every interval', () => {
  const [low, high] = intervalRange([at(-0.2, -0.3, -0.1), at(-0.1, -0.12, -0.08)], 0.05);
  assert.ok(low < -0.3 && low > -0.35);
  assert.ok(high > 0.05 && high < 0.1);
  assert.ok(intervalRange([], 0.05)[0] < -0.04);
});

test('the margin is as wide for either protocol: exchanging them changes nothing', () => {
  const { low, high } = marginBounds(0.25);
  assert.equal(high, 0.25);
  assert.ok(Math.abs((1 + low) * (1 + high) - 1) < 1e-12);
});
