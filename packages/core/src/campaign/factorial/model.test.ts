import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Combination, confoundedWith, designOf, termsOf } from './model.ts';

/** All combinations of two levels each. */
const full = (factors: readonly string[]): Combination[] =>
  factors.reduce<Combination[]>(
    (found, factor) =>
      found.flatMap((one) => [
        { ...one, [factor]: 'low' },
        { ...one, [factor]: 'high' },
      ]),
    [{}],
  );
/** Those with an even number of `high` among the factors. */
const half = (factors: readonly string[], those = factors) =>
  full(factors).filter((one) => those.filter((factor) => one[factor] === 'high').length % 2 === 0);
const aliases = (combinations: readonly Combination[], factors: readonly string[], term: string[]) =>
  confoundedWith(combinations, term, termsOf(factors)).map((other) => other.join('×'));

test('all combinations confound nothing', () => {
  assert.deepEqual(aliases(full(['a', 'b', 'c']), ['a', 'b', 'c'], ['a']), []);
  assert.deepEqual(designOf(full(['a', 'b', 'c'])), { combinations: 8, of: 8, resolution: null, words: 'All 8 combinations of levels.' });
});

test('half of three factors confounds each with the pair of the others: resolution III', () => {
  const combinations = half(['a', 'b', 'c']);
  assert.deepEqual(aliases(combinations, ['a', 'b', 'c'], ['a']), ['b×c']);
  assert.deepEqual(aliases(combinations, ['a', 'b', 'c'], ['a', 'b']), ['c']);
  const { resolution, words } = designOf(combinations);
  assert.equal(resolution, 'III');
  assert.match(words, /^4 of 8 .*resolution III\. The design confounds a with b × c, b with a × c and c with a × b:/);
});

test('half of four factors confounds pairs alone: resolution IV; crossed with a fifth it keeps that one clear', () => {
  const factors = ['a', 'b', 'c', 'd'];
  assert.deepEqual(aliases(half(factors), factors, ['a']), []);
  assert.deepEqual(aliases(half(factors), factors, ['a', 'b']), ['c×d']);
  assert.equal(designOf(half(factors)).resolution, 'IV');
  const crossed = half([...factors, 'condition'], factors);
  assert.deepEqual(aliases(crossed, [...factors, 'condition'], ['a', 'condition']), []);
});

test('half of two factors is no design: they are the same factor', () => {
  const { resolution, words } = designOf(half(['a', 'b']));
  assert.equal(resolution, 'II');
  assert.match(words, /measure more combinations/);
});

test('a combination that is missing confounds nothing while the rest tells effects apart', () => {
  const { resolution, words } = designOf(full(['a', 'b', 'c']).slice(1));
  assert.equal(resolution, null);
  assert.match(words, /^7 of 8 combinations of levels\. No factor/);
});
