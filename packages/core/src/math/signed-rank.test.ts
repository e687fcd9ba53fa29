import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { signedRankCriticalDepth, signedRankTest } from './signed-rank.ts';

const cases = scipy.signedRank.map((scipyCase, i) => ({
  ...scipyCase,
  r: r.signedRank[i],
  name: `${scipyCase.kind}, n = ${scipyCase.differences.length}`,
}));

test('statistic and effect size are SciPy’s ranks, added up', () => {
  assert.ok(cases.length > 200);
  for (const { name, differences, statistic, rankBiserial } of cases) {
    const result = signedRankTest(differences);
    assert.equal(result.statistic, statistic, name);
    assert.ok(within(result.rankBiserial, rankBiserial ?? 0), name);
    assert.equal(result.n + result.zeros, differences.length, name);
    assert.equal(result.zeros, differences.filter((difference) => difference === 0).length, name);
  }
});

for (const [by, least] of [
  ['exact', 50],
  ['permutation', 30],
  ['normal', 35],
  ['definition', 1],
] as const) {
  test(`p agrees with SciPy: ${by}`, () => {
    const asked = cases.filter((each) => each.by === by);
    assert.ok(asked.length >= least, `${asked.length} cases`);
    for (const { name, differences, p } of asked) {
      const result = signedRankTest(differences);
      assert.equal(result.method, by === 'normal' ? 'normal' : 'exact', name);
      assert.ok(within(result.p, p ?? Number.NaN), `${name}: p is ${result.p}, SciPy’s is ${p}`);
    }
  });
}

test('exact p with ties and zeros agrees with R’s coin', () => {
  const asked = cases.flatMap(({ r: byR, ...each }) => (typeof byR?.pratt === 'number' ? [{ ...each, pratt: byR.pratt }] : []));
  assert.ok(asked.length >= 40, `${asked.length} cases`);
  for (const { name, differences, pratt } of asked) {
    const result = signedRankTest(differences);
    assert.equal(result.method, 'exact', name);
    assert.ok(within(result.p, pratt), `${name}: p is ${result.p}, coin’s is ${pratt}`);
  }
});

test('without zeros p agrees with R’s wilcox.test', () => {
  const asked = cases.flatMap(({ r: byR, ...each }) => (typeof byR?.p === 'number' ? [{ ...each, expected: byR }] : []));
  assert.ok(asked.length >= 80, `${asked.length} cases`);
  for (const { name, differences, expected } of asked) {
    const result = signedRankTest(differences);
    assert.equal(result.statistic, expected.statistic, name);
    assert.ok(within(result.p, expected.p ?? Number.NaN), `${name}: p is ${result.p}, R’s is ${expected.p}`);
  }
});

test('the depth of an interval is the one of R’s exact distribution', () => {
  const exact = r.signedRankDepths.filter(([n]) => n <= 100);
  assert.ok(exact.length >= 300);
  for (const [n, alpha, k] of exact) assert.equal(signedRankCriticalDepth(n, alpha), k, `n = ${n}, alpha = ${alpha}`);
});

test('the depth by the normal distribution is off by 2 at most, and at small alphas by 1 % to the safe side', () => {
  const normal = r.signedRankDepths.filter(([n]) => n > 100);
  assert.ok(normal.length >= 30);
  for (const [n, alpha, k] of normal) {
    const depth = signedRankCriticalDepth(n, alpha);
    const allowed = alpha >= 0.05 ? Math.abs(depth - k) <= 2 : depth <= k && depth >= 0.99 * k;
    assert.ok(allowed, `n = ${n}, alpha = ${alpha}: ${depth}, exactly ${k}`);
  }
});

test('the test is significant exactly where the interval of Walsh averages leaves out 0', () => {
  for (const { name, differences } of cases.filter((each) => each.differences.length <= 100 && each.by === 'exact')) {
    const averages = differences.flatMap((a, i) => differences.slice(i).map((b) => (a + b) / 2)).sort((a, b) => a - b);
    for (const alpha of [0.05, 0.1, 0.2]) {
      const k = signedRankCriticalDepth(differences.length, alpha);
      const outside = k > 0 && ((averages[k - 1] as number) > 0 || (averages.at(-k) as number) < 0);
      assert.equal(signedRankTest(differences).p <= alpha, outside, `${name}, alpha = ${alpha}`);
    }
  }
});

test('too few rounds have no interval, and one sign among few no significance', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((n) => signedRankCriticalDepth(n, 0.05)),
    [0, 0, 0, 0, 0],
  );
  assert.equal(signedRankCriticalDepth(6, 0.05), 1);
  assert.equal(signedRankTest([1, 2, 3, 4, 5]).p, 2 / 32);
  assert.deepEqual(signedRankTest([5]), { p: 1, statistic: 1, n: 1, zeros: 0, rankBiserial: 1, method: 'exact' });
});

test('the opposite differences have the same p and the opposite effect', () => {
  for (const { name, differences } of cases) {
    const [result, mirrored] = [signedRankTest(differences), signedRankTest(differences.map((difference) => -difference))];
    assert.equal(mirrored.p, result.p, name);
    assert.ok(within(mirrored.rankBiserial, -result.rankBiserial, 1e-15), name);
    assert.ok(result.p > 0 && result.p <= 1 && Math.abs(result.rankBiserial) <= 1, name);
  }
});

test('ties that differ in the last digits are ties', () => {
  const ratios: [number, number][] = [
    [300, 200],
    [200, 300],
    [110, 100],
    [330, 300],
    [100, 110],
  ];
  const differences = ratios.map(([h3, h2]) => Math.log(h3 / h2));
  assert.notEqual(differences[0], -(differences[1] as number));
  assert.equal(signedRankTest(differences).statistic, 4.5 + 2 + 2);
});

test('where the exact test ends, the normal one goes on', () => {
  const differences = (n: number) => Array.from({ length: n }, (_, i) => ((i * 7919) % 1009) - 400);
  const [exact, normal] = [signedRankTest(differences(100)), signedRankTest(differences(101))];
  assert.deepEqual([exact.method, normal.method], ['exact', 'normal']);
  assert.ok(Math.abs(exact.p - normal.p) < 0.02, `${exact.p}, ${normal.p}`);
});

test('what is no sample is refused', () => {
  assert.throws(() => signedRankTest([]), {
    name: 'RangeError',
    message: 'signed-rank test of an empty sample, expected at least one value',
  });
  assert.throws(() => signedRankTest([1, Number.NaN]), /signed-rank test: value 1 of 2 is NaN/);
  assert.throws(() => signedRankCriticalDepth(0, 0.05), /n is 0, expected a positive integer/);
  assert.throws(() => signedRankCriticalDepth(5, 1), /alpha is 1, expected a number in \(0, 1\)/);
});

test('a difference without bound is the largest of all, tied with its like', () => {
  const infinite = signedRankTest([1, -2, 3, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  const large = signedRankTest([1, -2, 3, 1e6, -1e6, 1e6]);
  assert.deepEqual(infinite, large);
  assert.equal(signedRankTest(Array.from({ length: 6 }, () => Number.NEGATIVE_INFINITY)).p, 2 / 64);
});
