import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { kruskalWallisTest } from './kruskal-wallis.ts';

const cases = scipy.kruskalWallis.map((scipyCase, i) => ({
  ...scipyCase,
  r: r.kruskalWallis[i],
  name: `${scipyCase.kind}, groups of ${scipyCase.groups.map(({ length }) => length)}`,
}));

test('H and p agree with SciPy and R', () => {
  const asked = cases.filter(({ statistic }) => statistic !== null);
  assert.ok(asked.length >= 60);
  for (const { name, groups, statistic, p, r: byR } of asked) {
    const result = kruskalWallisTest(groups);
    assert.ok(within(result.statistic, statistic ?? Number.NaN), `${name}: H is ${result.statistic}, SciPy’s is ${statistic}`);
    assert.ok(within(result.p, p ?? Number.NaN), `${name}: p is ${result.p}, SciPy’s is ${p}`);
    assert.ok(byR && within(result.statistic, byR.statistic) && within(result.p, byR.p), name);
    assert.equal(result.df, groups.length - 1, name);
  }
});

test('effect sizes follow from H, and ε² is the share of the ranks’ variance between groups', () => {
  for (const { name, groups } of cases) {
    const { statistic, n, df, epsilonSquared, etaSquared } = kruskalWallisTest(groups);
    assert.ok(epsilonSquared >= 0 && epsilonSquared <= 1 + 1e-12, name);
    if (etaSquared !== null) assert.ok(within(etaSquared * (n - groups.length) + df, statistic), name);
  }
  const apart = kruskalWallisTest([
    [1, 1, 1],
    [2, 2, 2],
  ]);
  assert.ok(within(apart.epsilonSquared, 1, 1e-15));
});

test('two groups have the p of the two-sided U test without continuity correction', () => {
  // U = 0 of 4 and 4: z² = (8 − 0)² ÷ (16 · 9 ÷ 12).
  const { statistic } = kruskalWallisTest([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
  ]);
  assert.ok(within(statistic, 64 / 12, 1e-14));
});

test('where all values are equal, nothing differs; where each group has one, η² is not defined', () => {
  const equal = kruskalWallisTest([[2, 2], [2]]);
  assert.deepEqual([equal.statistic, equal.p, equal.epsilonSquared], [0, 1, 0]);
  assert.equal(kruskalWallisTest([[1], [2]]).etaSquared, null);
});

test('what is no group is refused', () => {
  assert.throws(() => kruskalWallisTest([[1, 2]]), { name: 'RangeError', message: /of 1 groups, expected at least 2/ });
  assert.throws(() => kruskalWallisTest([[1], []]), /Kruskal–Wallis test \(group 1\) of an empty sample/);
  assert.throws(() => kruskalWallisTest([[1], [Number.NaN]]), /\(group 1\): value 0 of 1 is NaN/);
});
