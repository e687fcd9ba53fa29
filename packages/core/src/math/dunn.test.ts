import assert from 'node:assert/strict';
import { test } from 'node:test';
import { r, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { dunnTest } from './kruskal-wallis.ts';

test('z, p and adjusted p of all pairs agree with R', () => {
  let pairs = 0;
  for (const [i, { kind, groups }] of scipy.kruskalWallis.entries()) {
    const expected = r.kruskalWallis[i]?.dunn;
    if (!expected) continue;
    const [holm, hochberg] = [dunnTest(groups), dunnTest(groups, 'benjamini-hochberg')];
    const columns = {
      z: holm.map(({ z }) => z),
      p: holm.map(({ p }) => p),
      holm: holm.map(({ adjustedP }) => adjustedP),
      benjaminiHochberg: hochberg.map(({ adjustedP }) => adjustedP),
    };
    for (const column of ['z', 'p', 'holm', 'benjaminiHochberg'] as const) {
      const ofR: number[] = [expected[column]].flat();
      assert.equal(columns[column].length, ofR.length);
      for (const [pair, value] of columns[column].entries()) {
        assert.ok(within(value, ofR[pair] as number), `${kind}, pair ${pair}: ${column} is ${value}, R’s is ${ofR[pair]}`);
      }
    }
    pairs += holm.length;
  }
  assert.ok(pairs > 500, `${pairs} pairs`);
});

test('pairs are named by their places, the earlier group first', () => {
  const pairs = dunnTest([[1], [2], [3]]).map(({ groups }) => groups);
  assert.deepEqual(pairs, [
    [0, 1],
    [0, 2],
    [1, 2],
  ]);
});

test('where all values are equal, no pair differs', () => {
  for (const { z, p, adjustedP } of dunnTest([[4, 4], [4], [4]])) assert.deepEqual([z, p, adjustedP], [0, 1, 1]);
});

test('what is no group is refused', () => {
  assert.throws(() => dunnTest([]), { name: 'RangeError', message: 'Dunn’s test of 0 groups, expected at least 2' });
  assert.throws(() => dunnTest([[], [1]]), /Dunn’s test \(group 0\) of an empty sample/);
});
