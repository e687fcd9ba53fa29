import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, scipy, within } from '../../fixtures/statistics/rank-tests.ts';
import { mannWhitneyTest } from './mann-whitney.ts';

const cases = scipy.mannWhitney.map((scipyCase, i) => ({
  ...scipyCase,
  r: r.mannWhitney[i],
  name: `${scipyCase.kind}, ${scipyCase.first.length} and ${scipyCase.second.length}`,
}));

test('statistic, method and p agree with SciPy and R', () => {
  assert.ok(cases.length > 150);
  assert.ok(cases.filter(({ by }) => by === 'exact').length >= 40);
  for (const { name, first, second, statistic, p, by, r: byR } of cases) {
    const result = mannWhitneyTest(first, second);
    assert.deepEqual([result.statistic, result.method], [statistic, by], name);
    assert.ok(within(result.p, p), `${name}: p is ${result.p}, SciPy’s is ${p}`);
    if (byR) {
      assert.equal(result.statistic, byR.statistic, name);
      assert.ok(within(result.p, byR.p), `${name}: p is ${result.p}, R’s is ${byR.p}`);
    }
  }
});

test('both effect sizes are the share of pairs that are larger less the share that are smaller', () => {
  for (const { name, first, second, delta } of cases) {
    const { rankBiserial, cliffsDelta } = mannWhitneyTest(first, second);
    assert.ok(within(rankBiserial, delta) && within(cliffsDelta, delta), name);
  }
});

test('swapped samples have the same p and the opposite effect', () => {
  for (const { name, first, second } of cases) {
    const [result, swapped] = [mannWhitneyTest(first, second), mannWhitneyTest(second, first)];
    assert.equal(swapped.p, result.p, name);
    assert.ok(within(swapped.rankBiserial, -result.rankBiserial, 1e-14), name);
    assert.equal(swapped.rankBiserialCategory, result.rankBiserialCategory, name);
  }
});

test('the category goes with the effect', () => {
  const apart = mannWhitneyTest([5, 6, 7, 8], [1, 2, 3, 4]);
  assert.deepEqual([apart.rankBiserial, apart.rankBiserialCategory, apart.cliffsDeltaCategory], [1, 'large', 'large']);
  assert.equal(apart.p, 2 / 70);
});

test('equal values say nothing', () => {
  const { p, statistic, rankBiserial, rankBiserialCategory } = mannWhitneyTest([3, 3, 3], [3, 3]);
  assert.deepEqual([p, statistic, rankBiserial, rankBiserialCategory], [1, 3, 0, 'negligible']);
});

test('what is no sample is refused by name', () => {
  assert.throws(() => mannWhitneyTest([], [1]), { name: 'RangeError', message: /\(first\) of an empty sample/ });
  assert.throws(() => mannWhitneyTest([1], [2, Number.NaN]), /\(second\): value 1 of 2 is NaN/);
});
