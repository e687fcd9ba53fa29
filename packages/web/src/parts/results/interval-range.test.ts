import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marginBounds } from '@pronghorn/core/answer';
import { estimateOf, intervalRange } from './interval-range.ts';

test('zero and the margin are on every axis, and so are all ends', () => {
  const near = { value: 0.001, interval: { low: -0.002, high: 0.004 }, inner: null };
  const [low, high] = intervalRange([near], 0.05);
  assert.ok(low < 1 / 1.05 - 1 && high > 0.05);
  const far = { value: 0.4, interval: { low: 0.3, high: 0.6 }, inner: { low: 0.31, high: 0.58 } };
  const [, wide] = intervalRange([near, far], 0.05);
  assert.ok(wide > 0.6);
});

test('the margin is as far on both sides in its logarithm', () => {
  const { low, high } = marginBounds(0.05);
  assert.ok(Math.abs(Math.log1p(low) + Math.log1p(high)) < 1e-12);
});

test('what is drawn is the shift; where there is no ratio H3-Delta, without the interval of equivalence', () => {
  const equivalence = { equivalent: true, low: -0.01, high: 0.02, margin: 0.05, confidence: 0.9, slowLoads: null };
  const estimate = { value: 0.1, low: 0.05, high: 0.15 };
  assert.deepEqual(estimateOf({ shift: estimate, delta: null, equivalence }), {
    ...{ value: 0.1, interval: { low: 0.05, high: 0.15 } },
    inner: { low: -0.01, high: 0.02 },
  });
  assert.equal(estimateOf({ shift: null, delta: { ...estimate, low: null, high: null }, equivalence })?.interval, null);
  assert.equal(estimateOf({ shift: null, delta: estimate, equivalence })?.inner, null);
  assert.equal(estimateOf({ shift: null, delta: null, equivalence }), null);
});
