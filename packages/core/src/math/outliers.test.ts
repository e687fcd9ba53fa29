import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describedSamples } from '../../fixtures/statistics/oracles.ts';
import { markOutliers } from './distribution.ts';

test('values outside the fences are the ones that NumPy’s quartiles give, with their places and sides', () => {
  for (const { kind, values, low, high } of describedSamples.filter((sample) => sample.values.length >= 5)) {
    const { outliers } = markOutliers(values);
    const places = (wanted: string) => outliers.filter(({ side }) => side === wanted).map(({ index }) => index);
    assert.deepEqual([places('low'), places('high')], [low, high], `${kind}, n = ${values.length}`);
  }
});

test('a value on a fence is inside', () => {
  // Quartiles 10 and 20: fences at −5 and 35.
  const marked = markOutliers([10, 35, 10, 20, -5.1, 20, 15]);
  assert.deepEqual(marked, { fences: { low: -5, high: 35 }, outliers: [{ index: 4, side: 'low' }] });
});

test('a mode that holds a third of the values is not marked', () => {
  assert.deepEqual(markOutliers([300, 302, 299, 301, 401, 399, 298, 400, 303]).outliers, []);
});

test('a constant has no outliers, and fewer than five values no fences', () => {
  assert.deepEqual(markOutliers([3, 3, 3, 3, 3]), { fences: { low: 3, high: 3 }, outliers: [] });
  assert.deepEqual(markOutliers([1, 1, 1, 99]), { fences: null, outliers: [] });
});

test('an empty sample and a value that is not finite are refused', () => {
  assert.throws(() => markOutliers([]), RangeError);
  assert.throws(() => markOutliers([1, Number.POSITIVE_INFINITY]), /outliers: value 1 of 2 is Infinity/);
});
