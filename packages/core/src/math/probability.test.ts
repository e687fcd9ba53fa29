import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributions as expected, relativelyWithin } from '../../fixtures/statistics/oracles.ts';
import * as distributions from './probability.ts';
import { chiSquaredSurvival, kolmogorovSurvival, normalCdf } from './probability.ts';

type Distribution = (...parameters: number[]) => number;

const tolerances: Record<string, number> = { betaQuantile: 1e-11, binomialSurvival: 1e-10 };

for (const [name, distribution] of Object.entries(distributions) as [string, Distribution][]) {
  const tolerance = tolerances[name] ?? 1e-12;
  test(`${name} agrees with mpmath to a relative ${tolerance}`, () => {
    const cases = expected[name] ?? [];
    assert.ok(cases.length >= 12, `${cases.length} cases`);
    for (const row of cases) {
      const [parameters, value] = [row.slice(0, -1), row.at(-1) as number];
      const actual = distribution(...parameters);
      assert.ok(relativelyWithin(actual, value, tolerance), `${name}(${parameters}) is ${actual}, mpmath’s is ${value}`);
    }
  });
}

test('a quantile is the inverse of its distribution, up to the ends', () => {
  for (const z of [-8, -3, -0.1, 0, 1.3, 4]) assert.ok(Math.abs(distributions.normalQuantile(distributions.normalCdf(z)) - z) < 1e-10);
  assert.deepEqual([0, 1].map(distributions.normalQuantile), [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  assert.deepEqual(
    [0, 1].map((p) => distributions.studentTQuantile(p, 3)),
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
  );
  assert.deepEqual(
    [0, 1].map((p) => distributions.betaQuantile(p, 2, 3)),
    [0, 1],
  );
});

test('what no distribution has is refused', () => {
  assert.throws(() => distributions.normalQuantile(1.01), {
    name: 'RangeError',
    message: 'normal quantile: p is 1.01, expected a number in [0, 1]',
  });
  assert.throws(() => distributions.chiSquaredSurvival(-1, 2), /chi-squared: x is -1/);
  assert.throws(() => distributions.chiSquaredSurvival(1, 0), /chi-squared: df is 0/);
  assert.throws(() => distributions.betaQuantile(0.5, 0, 1), /beta quantile: a is 0/);
  assert.throws(() => distributions.studentTQuantile(0.5, 2.5), /df is 2\.5, expected a positive integer/);
});

test('what is too small for a number is 0, and no error', () => {
  assert.equal(chiSquaredSurvival(1480, 2), 0);
  assert.equal(chiSquaredSurvival(4900, 999), 0);
  assert.equal(normalCdf(-100), 0);
  assert.equal(normalCdf(100), 1);
  assert.ok(normalCdf(-37) > 0);
  assert.equal(kolmogorovSurvival(30), 0);
});
