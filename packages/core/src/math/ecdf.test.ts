import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedSamples, within } from '../../fixtures/statistics/oracles.ts';
import { ecdf, shareAtMost } from './distribution.ts';

test('steps and values agree with SciPy and R', () => {
  for (const sample of describedSamples) {
    const steps = ecdf(sample.values);
    assert.equal(steps.values.length, sample.steps, sample.kind);
    for (const [i, [x, share]] of sample.ecdf.entries()) {
      assert.ok(within(shareAtMost(steps, x), share), sample.kind);
      assert.ok(within(shareAtMost(steps, x), sample.r.ecdf[i] as number), sample.kind);
    }
  }
});

test('ties make one higher step, and the last share is 1', () => {
  assert.deepEqual(ecdf([3, 1, 3, 2]), { values: [1, 2, 3], shares: [0.25, 0.5, 1] });
  assert.deepEqual(ecdf([5, 5]), { values: [5], shares: [1] });
});

test('the share is 0 below the sample, 1 above it, and holds between two values', () => {
  const steps = ecdf([10, 20]);
  assert.deepEqual(
    [Number.NEGATIVE_INFINITY, 9.9, 10, 19.9, 20, Number.POSITIVE_INFINITY].map((x) => shareAtMost(steps, x)),
    [0, 0, 0.5, 0.5, 1, 1],
  );
  assert.throws(() => shareAtMost(steps, Number.NaN), {
    name: 'RangeError',
    message: 'distribution function: x is NaN, expected a number',
  });
});

test('an empty sample and a value that is not finite are refused', () => {
  assert.throws(() => ecdf([]), RangeError);
  assert.throws(() => ecdf([1, Number.NaN]), /distribution function: value 1 of 2 is NaN/);
});
