import assert from 'node:assert/strict';
import { test } from 'node:test';
import { close, fixture } from '../../fixtures/statistics.ts';
import { randomSource } from '../random.ts';
import { permutationTest } from './permutation-test.ts';

test('up to 12 differences p is exactly the one of SciPy’s permutation_test', () => {
  const small = fixture.permutation_tests.filter(({ differences }) => differences.length <= 12);
  assert.ok(small.length >= 5);
  for (const { name, differences, p, meanDifference } of small) {
    const result = permutationTest(differences, { seed: 1 });
    assert.equal(result.method, 'exact', name);
    assert.ok(close(result.p, p), `${name}: p is ${result.p}, SciPy’s is ${p}`);
    assert.ok(Math.abs(result.meanDifference - meanDifference) < 1e-9, name);
  }
});

test('beyond, p lies about SciPy’s exact one as random patterns allow', () => {
  const large = fixture.permutation_tests.filter(({ differences }) => differences.length > 12);
  assert.ok(large.length >= 3);
  for (const { name, differences, p } of large) {
    const result = permutationTest(differences, { seed: 2 });
    assert.equal(result.method, 'monte-carlo', name);
    const deviation = Math.sqrt((p * (1 - p)) / result.patterns);
    assert.ok(Math.abs(result.p - p) < 4 * deviation + 1 / result.patterns, `${name}: p is ${result.p}, exactly ${p}`);
  }
});

test('where nothing differs, p falls below each level as often as the level says', () => {
  const random = randomSource(20260102);
  const repeats = 1000;
  const ps = Array.from({ length: repeats }, (_, seed) => {
    const differences = Array.from({ length: 20 }, () => random() ** 3 - random() ** 3); // heavy tails, symmetric
    return permutationTest(differences, { seed, resamples: 199 }).p;
  });
  for (const level of [0.05, 0.25, 0.5, 0.75]) {
    const share = ps.filter((p) => p <= level).length / repeats;
    const deviation = Math.sqrt((level * (1 - level)) / repeats);
    assert.ok(Math.abs(share - level) < 4 * deviation, `p ≤ ${level} in ${share} of the repeats`);
  }
});

test('a clear shift has the smallest p that so many differences allow, and it is never 0', () => {
  const shifted = Array.from({ length: 40 }, (_, i) => -30 - (i % 7));
  assert.equal(permutationTest(shifted, { seed: 3 }).p, 1 / 10_000);
  assert.equal(permutationTest(shifted.slice(0, 10), { seed: 3 }).p, 2 / 1024);
  assert.equal(permutationTest([4], { seed: 3 }).p, 1);
});

test('p has no direction: the other sign gives the same', () => {
  for (const { differences } of fixture.permutation_tests.filter((each) => each.differences.length <= 12)) {
    const mirrored = differences.map((difference) => -difference);
    assert.equal(permutationTest(mirrored, { seed: 1 }).p, permutationTest(differences, { seed: 1 }).p);
  }
});

test('the same seed gives the same p', () => {
  const differences = Array.from({ length: 30 }, (_, i) => ((i * 37) % 11) - 4.5);
  const p = (seed: number) => permutationTest(differences, { seed, resamples: 999 }).p;
  assert.equal(p(5), p(5));
  assert.notEqual(new Set([1, 2, 3, 4, 5].map(p)).size, 1);
});

test('no test is made of nothing, of what is not finite, or without resamples', () => {
  assert.throws(() => permutationTest([], { seed: 1 }), RangeError);
  assert.throws(() => permutationTest([1, Number.NaN], { seed: 1 }), /permutation test: value 1 of 2 is NaN/);
  assert.throws(() => permutationTest([1], { seed: 1, resamples: 0 }), /resamples is 0/);
});
