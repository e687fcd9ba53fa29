import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, relativelyWithin, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { uniformityTest } from './kolmogorov-smirnov.ts';
import { randomSource } from './random.ts';

test('D and p agree with SciPy’s exact test, and with R’s where SciPy approximates', () => {
  assert.ok(scipy.uniformity.length >= 35);
  for (const [i, { values, statistic, p }] of scipy.uniformity.entries()) {
    const result = uniformityTest(values);
    const expected = p ?? r.uniformity[i] ?? Number.NaN;
    assert.ok(within(result.statistic, statistic, 1e-14), `n = ${values.length}`);
    assert.ok(within(result.p, expected), `n = ${values.length}: p is ${result.p}, expected ${expected}`);
    assert.equal(result.method, 'exact');
  }
});

/** n values whose D is d, for d ≥ 1/(2n), below which none is. */
const sampleOf = (n: number, d: number) => Array.from({ length: n }, (_, i) => Math.max(0, (i + 1) / n - d));

const grid = scipy.uniformityGrid.map(([n, d, p], i) => ({ n, d, p: p ?? r.uniformityGrid[i] ?? Number.NaN, name: `n = ${n}, D = ${d}` }));

test('p agrees with SciPy’s and R’s distribution over n and D', () => {
  const exact = grid.filter(({ n }) => n <= 1000);
  assert.ok(exact.length >= 150);
  for (const { n, d, p, name } of exact) {
    const result = uniformityTest(sampleOf(n, d));
    assert.equal(result.method, 'exact');
    assert.ok(within(result.statistic, d, 1e-12), `${name}: D is ${result.statistic}`);
    assert.ok(within(result.p, p), `${name}: p is ${result.p}, expected ${p}`);
    if (n * d ** 2 > 4) assert.ok(relativelyWithin(result.p, p, 1e-9), `${name}: p is ${result.p}, expected ${p}`);
  }
});

test('beyond n = 1000 p is right to 2e-5, and to 4 % of itself where it is small', () => {
  const large = grid.filter(({ n }) => n > 1000);
  assert.ok(large.length >= 50);
  for (const { n, d, p, name } of large) {
    const result = uniformityTest(sampleOf(n, d));
    assert.equal(result.method, 'asymptotic');
    assert.ok(within(result.p, p, 2e-5) && Math.abs(result.p - p) <= 0.04 * p, `${name}: p is ${result.p}, expected ${p}`);
  }
});

test('uniform values are refused as often as the level says', () => {
  const random = randomSource(20260104);
  const repeats = 2000;
  const ps = Array.from({ length: repeats }, () => uniformityTest(Array.from({ length: 20 }, random)).p);
  for (const level of [0.05, 0.25, 0.5]) {
    const share = ps.filter((p) => p <= level).length / repeats;
    assert.ok(Math.abs(share - level) < 4 * Math.sqrt((level * (1 - level)) / repeats), `p ≤ ${level} in ${share}`);
  }
});

test('values that crowd anywhere are refused', () => {
  assert.ok(uniformityTest(Array.from({ length: 100 }, (_, i) => (i / 100) ** 2)).p < 1e-3);
  assert.ok(uniformityTest(new Array(50).fill(1)).p < 1e-20);
  assert.equal(uniformityTest([0.5]).p, 1);
});

test('what is no p-value is refused with its place', () => {
  assert.throws(() => uniformityTest([]), { name: 'RangeError', message: /uniformity test of an empty sample/ });
  assert.throws(() => uniformityTest([0.5, 1.5]), { name: 'RangeError', message: /value 1 is 1\.5, expected a number in \[0, 1\]/ });
});
