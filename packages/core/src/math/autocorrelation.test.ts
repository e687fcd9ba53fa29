import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeSeries, within } from '../../fixtures/statistics/oracles.ts';
import { randomSource } from './random.ts';
import { autocorrelation } from './trend.ts';

test('the coefficient agrees with R’s acf', () => {
  for (const { kind, values, autocorrelation: expected } of timeSeries) {
    const found = autocorrelation(values, { seed: 1, resamples: 1 });
    assert.ok(found && within(found.coefficient, expected), `${kind}, n = ${values.length}: ${found?.coefficient}, R’s is ${expected}`);
  }
});

/** Every order of the values. */
function orders(values: readonly number[]): number[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, i) => orders(values.toSpliced(i, 1)).map((rest) => [value, ...rest]));
}

test('p is the share of all orders whose coefficient is as far from its mean, but for chance', () => {
  for (const values of [
    [1, 2, 3, 4, 5, 6],
    [1, 1, 1, 5, 6, 40],
    [3, -3, 3, -3, 3, -3],
  ]) {
    const coefficients = orders(values).map((order) => autocorrelation(order, { seed: 1, resamples: 1 })?.coefficient ?? 0);
    const mean = coefficients.reduce((sum, coefficient) => sum + coefficient, 0) / coefficients.length;
    assert.ok(within(mean, -1 / 6), `mean ${mean}`);
    const found = autocorrelation(values, { seed: 2 });
    const distance = Math.abs((found?.coefficient ?? 0) + 1 / 6) - 1e-9;
    const exact = coefficients.filter((coefficient) => Math.abs(coefficient + 1 / 6) >= distance).length / coefficients.length;
    assert.ok(
      Math.abs((found?.p ?? 0) - exact) < 4 * Math.sqrt((exact * (1 - exact)) / 1999) + 1 / 2000,
      `${values}: ${found?.p}, exactly ${exact}`,
    );
  }
});

test('independent values are refused as often as the level says, heavy tails or not; dependent ones are found', () => {
  const random = randomSource(12);
  const repeats = 500;
  const shareFound = (series: () => number[]) =>
    Array.from({ length: repeats }, (_, seed) => autocorrelation(series(), { seed, resamples: 199 })?.p ?? 1).filter((p) => p <= 0.05)
      .length / repeats;
  const heavy = () => Array.from({ length: 40 }, () => Math.tan(Math.PI * (random() - 0.5)));
  assert.ok(shareFound(heavy) < 0.05 + 4 * Math.sqrt(0.05 / repeats));
  const dependent = () => {
    let last = 0;
    return Array.from({ length: 40 }, () => {
      last = 0.6 * last + random() - 0.5;
      return last;
    });
  };
  assert.ok(shareFound(dependent) > 0.8);
});

test('the same seed gives the same p', () => {
  const values = Array.from({ length: 30 }, randomSource(3));
  assert.deepEqual(autocorrelation(values, { seed: 4 }), autocorrelation(values, { seed: 4 }));
});

test('what has no order to speak of has none, and what is no sample is refused', () => {
  assert.equal(autocorrelation([1, 2], { seed: 1 }), null);
  assert.equal(autocorrelation([0.1, 0.1, 0.1, 0.1], { seed: 1 }), null);
  assert.throws(() => autocorrelation([], { seed: 1 }), { name: 'RangeError', message: /autocorrelation of an empty sample/ });
  assert.throws(() => autocorrelation([1, 2, 3], { seed: 1, resamples: 0 }), /resamples is 0, expected a positive integer/);
});
