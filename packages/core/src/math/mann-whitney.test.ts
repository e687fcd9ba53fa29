import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { mannWhitneyTest } from './mann-whitney.ts';

const cases = scipy.mannWhitney.map((scipyCase, i) => ({
  ...scipyCase,
  r: r.mannWhitney[i],
  name: `${scipyCase.kind}, ${scipyCase.first.length} and ${scipyCase.second.length}`,
}));

/** Those two have the normal approximation for every sample with ties. */
const isTiedAndSmall = ({ first, second }: { first: number[]; second: number[] }) =>
  new Set([...first, ...second]).size < first.length + second.length && first.length * second.length <= 100;

test('statistic, method and p agree with SciPy and R', () => {
  assert.ok(cases.length > 150);
  assert.ok(cases.filter(({ by }) => by === 'exact').length >= 40);
  for (const { name, first, second, statistic, p, by, r: byR } of cases) {
    const result = mannWhitneyTest(first, second);
    assert.equal(result.statistic, statistic, name);
    if (isTiedAndSmall({ first, second })) {
      assert.equal(result.method, 'exact', name);
      continue;
    }
    assert.equal(result.method, by, name);
    assert.ok(within(result.p, p), `${name}: p is ${result.p}, SciPy’s is ${p}`);
    if (byR) {
      assert.equal(result.statistic, byR.statistic, name);
      assert.ok(within(result.p, byR.p), `${name}: p is ${result.p}, R’s is ${byR.p}`);
    }
  }
});

/** Ranks sums of every choice of so many of these ranks. */
function rankSums(ranks: readonly number[], count: number): number[] {
  if (count === 0) return [0];
  return ranks.flatMap((rank, at) => rankSums(ranks.slice(at + 1), count - 1).map((sum) => sum + rank));
}

test('with ties p is the share of all choices that are as far from the middle', () => {
  const ranksOf = (values: readonly number[]) =>
    values.map((value) => values.filter((one) => one < value).length + (values.filter((one) => one === value).length + 1) / 2);
  const small = [
    ...[
      [
        [1, 1, 1],
        [2, 2, 2],
      ],
      [
        [4, 4, 4, 4],
        [5, 5, 5, 5],
      ],
      [
        [1, 2, 2],
        [2, 3, 3, 9, 9],
      ],
      [
        [0, 7],
        [0, 0, 0, 0, 1],
      ],
    ],
    ...[
      [
        [Infinity, Infinity, Infinity, Infinity],
        [1, 2, 3, 4],
      ],
      [
        [3, 1, 1, 2, 5, 5],
        [4, 4, 2, 2, 1, 6, 8],
      ],
    ],
  ] as [number[], number[]][];
  for (const [first, second] of small) {
    const ranks = ranksOf([...first, ...second]);
    const sums = rankSums(ranks, first.length);
    const middle = (first.length * (ranks.length + 1)) / 2;
    const found = ranks.slice(0, first.length).reduce((sum, rank) => sum + rank, 0);
    const asFar = sums.filter((sum) => Math.abs(sum - middle) >= Math.abs(found - middle)).length;
    const { p, method } = mannWhitneyTest(first, second);
    assert.equal(method, 'exact');
    assert.ok(within(p, asFar / sums.length), `${first} and ${second}: ${p}, by counting ${asFar / sums.length}`);
  }
});

test('3 and 3 that are apart have the least p that 3 and 3 can have, tied or not', () => {
  assert.equal(mannWhitneyTest([1, 1, 1], [50, 50, 50]).p, 0.1);
  assert.equal(mannWhitneyTest([1, 2, 3], [50, 51, 52]).p, 0.1);
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
