import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { close } from '../../fixtures/statistics/oracles.ts';
import { friedmanTest } from './friedman.ts';

type Case = { kind: string; blocks: number[][]; statistic: number; p: number };
const cases: Case[] = JSON.parse(readFileSync(new URL('../../fixtures/statistics/friedman.json', import.meta.url), 'utf8')).cases;

test('statistic and p agree with SciPy', () => {
  assert.ok(cases.length >= 95);
  for (const { kind, blocks, statistic, p } of cases) {
    const result = friedmanTest(blocks);
    const name = `${kind}, ${blocks.length} blocks of ${blocks[0]?.length}`;
    assert.ok(close(result.statistic, statistic, 1e-9), `${name}: ${result.statistic}, SciPy’s is ${statistic}`);
    assert.ok(close(result.p, p, 1e-9), `${name}: p is ${result.p}, SciPy’s is ${p}`);
  }
});

test('two levels, by hand: three of four sites are faster at the first', () => {
  // Rank sums 5 and 7 about 6: 12 · 2 ÷ (4 · 2 · 3) = 1, which is (3 − 1)² ÷ 4 of the sign test.
  const result = friedmanTest([
    [1, 2],
    [10, 11],
    [100, 101],
    [8, 7],
  ]);
  assert.equal(result.statistic, 1);
  assert.equal(result.df, 1);
  assert.equal(result.p, 10 / 16);
  assert.equal(result.kendallW, 0.25);
});

test('two levels without a difference have p below 0.05 in at most 5 % of all orders, of any number of blocks', () => {
  for (let blocks = 5; blocks <= 14; blocks++) {
    let below = 0;
    for (let orders = 0; orders < 2 ** blocks; orders++) {
      if (friedmanTest(Array.from({ length: blocks }, (_, i) => ((orders >> i) & 1 ? [1, 2] : [2, 1]))).p <= 0.05) below++;
    }
    assert.ok(below <= 0.05 * 2 ** blocks, `${blocks} blocks: ${below / 2 ** blocks}`);
    assert.equal(below > 0, blocks > 5);
  }
});

test('only the order within a block counts', () => {
  for (const { blocks } of cases) {
    const moved = blocks.map((block, i) => block.map((value) => 2 ** (i % 8) * value + 1000 * i));
    assert.deepEqual(friedmanTest(moved), friedmanTest(blocks));
  }
});

test('blocks that all agree have W = 1; levels that are all equal do not differ', () => {
  assert.equal(friedmanTest([...Array(6)].map((_, i) => [i, i + 1, i + 2])).kendallW, 1);
  assert.deepEqual(
    friedmanTest([
      [3, 3, 3],
      [4, 4, 4],
    ]),
    { statistic: 0, df: 2, p: 1, kendallW: 0 },
  );
});

test('what is no block is refused', () => {
  assert.throws(() => friedmanTest([]), { name: 'RangeError', message: /of 0 blocks of 0 levels/ });
  assert.throws(() => friedmanTest([[1]]), /expected a block and two levels at least/);
  assert.throws(() => friedmanTest([[1, 2], [1]]), /block 1 has 1 values, expected 2/);
  assert.throws(() => friedmanTest([[1, Number.NaN]]), RangeError);
});
