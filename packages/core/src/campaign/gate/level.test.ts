import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spread } from '../../../fixtures/made-campaign.ts';
import { randomSource } from '../../math/random.ts';
import { levelOf, quantileLevel } from './level.ts';

const oneTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test('the chance behind a bound of a percentile is the binomial one', () => {
  // 11 values below the limit: 0.75¹¹ = 0.0422; 10 of 11: 0.75¹¹ + 11 · 0.75¹⁰ · 0.25.
  const level = quantileLevel(oneTo(11), 0.75);
  assert.ok(Math.abs(level.atMost(11) - 0.75 ** 11) < 1e-12);
  assert.ok(Math.abs(level.atMost(10) - (0.75 ** 11 + 11 * 0.75 ** 10 * 0.25)) < 1e-12);
  // None of 3 at most 0: 0.25³.
  assert.ok(Math.abs(quantileLevel(oneTo(3), 0.75).above(0) - 0.25 ** 3) < 1e-12);
  assert.ok(Math.abs(quantileLevel(oneTo(5), 0.5).atLeast(1) - 0.5 ** 5) < 1e-12);
  assert.ok(Math.abs(quantileLevel(oneTo(5), 0.5).below(6) - 0.5 ** 5) < 1e-12);
});

test('bounds of a percentile are the values at which its tests turn', () => {
  for (const [n, p] of [
    [40, 0.75],
    [12, 0.5],
    [100, 0.95],
    [7, 0.9],
  ] as const) {
    const level = quantileLevel(oneTo(n), p);
    const [low, high] = [level.low(0.05), level.high(0.05)];
    if (high !== null) {
      assert.ok(level.atMost(high) <= 0.05 && level.atMost(high - 1) > 0.05, `${n} ${p}`);
    } else assert.ok(level.atMost(n) > 0.05);
    if (low !== null) assert.ok(level.above(low - 1) <= 0.05 && level.above(low) > 0.05, `${n} ${p}`);
  }
  // Hahn & Meeker's and everybody's: 59 values are the fewest whose largest bounds the 95th percentile at 95 %.
  assert.equal(quantileLevel(oneTo(58), 0.95).high(0.05), null);
  assert.equal(quantileLevel(oneTo(59), 0.95).high(0.05), 59);
  assert.equal(quantileLevel(oneTo(58), 0.95).minValues('max', 0.05, 0), 59);
});

test('values that are all the same are at most and at least what they are', () => {
  for (const statistic of ['median', 'p75', 'mean']) {
    const level = levelOf(statistic, new Array<number>(40).fill(42));
    assert.ok(level.atMost(42) <= 0.05 && level.atLeast(42) <= 0.05, statistic);
    assert.ok(level.above(41) <= 0.05 && level.below(43) <= 0.05 && level.above(42) > 0.05 && level.below(42) > 0.05, statistic);
  }
});

test('a mean says nothing of fewer than 30 values', () => {
  const few = levelOf('mean', oneTo(29));
  assert.deepEqual(
    [few.atMost(1e9), few.above(-1e9), few.low(0.05), few.high(0.05), few.minValues('max', 0.05, 0)],
    [1, 1, null, null, 30],
  );
});

test('bounds of a mean of symmetric values are Student’s, and its tests turn there', () => {
  const values = oneTo(31);
  const level = levelOf('mean', values);
  const high = level.high(0.05) ?? 0;
  // t(30) at 0.95 is 1.69726; the deviation of 1…31 is √(31 · 32 ÷ 12).
  assert.ok(Math.abs(high - (16 + 1.69726 * Math.sqrt((31 * 32) / 12 / 31))) < 1e-4, `${high}`);
  assert.ok(Math.abs(level.atMost(high) - 0.05) < 1e-9);
  const skewed = levelOf('mean', [...values, 300]);
  assert.ok(Math.abs(skewed.atMost(skewed.high(0.05) ?? 0) - 0.05) < 1e-9);
  assert.ok(Math.abs(skewed.above(skewed.low(0.05) ?? 0) - 0.05) < 1e-9);
});

test('as many values as it says decide in about 80 % of samples', () => {
  const random = randomSource(11);
  const draw = (n: number) => Array.from({ length: n }, () => 1000 * spread(random, 0.2));
  for (const [statistic, limit] of [
    ['p75', 1300],
    ['median', 1100],
    ['mean', 1130],
  ] as const) {
    const needed = levelOf(statistic, draw(4000)).valuesToDecide(limit, { atMost: 0.05, above: 0.05 }) ?? 0;
    let decided = 0;
    for (let i = 0; i < 400; i++) if (levelOf(statistic, draw(needed)).atMost(limit) <= 0.05) decided++;
    assert.ok(decided > 0.7 * 400 && decided < 0.95 * 400, `${statistic}: ${decided} of 400 with ${needed}`);
  }
});
