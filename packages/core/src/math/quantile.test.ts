import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, fixture } from '../../fixtures/statistics/oracles.ts';
import { median, quantile } from './quantile.ts';

test('quantiles are those that NumPy gives by its default method', () => {
  for (const { name, values, quantiles } of fixture.samples) {
    for (const [p, expected] of quantiles) {
      const actual = quantile(values, p);
      assert.ok(close(actual, expected), `${name}: quantile ${p} is ${actual}, NumPy’s is ${expected}`);
    }
  }
});

test('quantiles are those that R prints by its default type 7', () => {
  // R: quantile(1:10), and quantile(mtcars$mpg) of R's data set (Henderson & Velleman 1981).
  const mpg = [
    21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4, 14.7, 32.4, 30.4, 33.9, 21.5, 15.5, 15.2,
    13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4,
  ];
  const quartiles = (values: readonly number[]) => [0, 0.25, 0.5, 0.75, 1].map((p) => quantile(values, p));
  assert.deepEqual(quartiles([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [1, 3.25, 5.5, 7.75, 10]);
  assert.deepEqual(quartiles(mpg), [10.4, 15.425, 19.2, 22.8, 33.9]);
});

test('the order of the values does not matter, and they are left as they are', () => {
  const values = Object.freeze([9, 1, 100, 20]);
  assert.equal(median(values), 14.5);
});

test('an empty sample, a value that is no number and a p outside [0, 1] are refused by name', () => {
  assert.throws(() => quantile([], 0.5), { name: 'RangeError', message: 'quantile of an empty sample, expected at least one value' });
  assert.throws(() => quantile([1, Number.NaN], 0.5), {
    name: 'RangeError',
    message: 'quantile: value 1 of 2 is NaN, expected a number',
  });
  for (const p of [-0.1, 1.1, Number.NaN]) assert.throws(() => quantile([1], p), RangeError);
});
