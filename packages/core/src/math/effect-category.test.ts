import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliffsDeltaCategory, rankBiserialCategory } from './mann-whitney.ts';

test('a category begins at its threshold, for either sign', () => {
  const words = (category: (effect: number) => string, effects: number[]) => effects.map((effect) => [category(effect), category(-effect)]);
  const expected = ['negligible', 'negligible', 'small', 'small', 'medium', 'medium', 'large', 'large'].map((word) => [word, word]);
  assert.deepEqual(words(rankBiserialCategory, [0, 0.0999, 0.1, 0.2999, 0.3, 0.4999, 0.5, 1]), expected);
  assert.deepEqual(words(cliffsDeltaCategory, [0, 0.1469, 0.147, 0.3299, 0.33, 0.4739, 0.474, 1]), expected);
});

test('what is no effect size is refused', () => {
  assert.throws(() => rankBiserialCategory(1.1), { name: 'RangeError', message: /rank-biserial correlation is 1\.1/ });
  assert.throws(() => cliffsDeltaCategory(Number.NaN), { name: 'RangeError', message: /Cliff’s delta is NaN/ });
});
