import assert from 'node:assert/strict';
import { test } from 'node:test';
import { families, r, scipy, within } from '../../fixtures/statistics/oracles.ts';
import { adjustments } from '../vocabulary/choices.ts';
import { adjustPValues } from './adjust.ts';
import { randomSource } from './random.ts';

test('adjusted p-values agree with R and SciPy, in the order given', () => {
  for (const [i, { ps, benjaminiHochberg }] of scipy.adjusted.entries()) {
    const [holm, hochberg] = [adjustPValues(ps), adjustPValues(ps, 'benjamini-hochberg')];
    for (const place of ps.keys()) {
      assert.ok(within(holm[place] as number, r.adjusted[i]?.holm[place] as number), `Holm, case ${i}, place ${place}`);
      assert.ok(within(hochberg[place] as number, r.adjusted[i]?.benjaminiHochberg[place] as number), `BH, case ${i}, place ${place}`);
      assert.ok(within(hochberg[place] as number, benjaminiHochberg[place] as number), `BH by SciPy, case ${i}, place ${place}`);
    }
  }
});

test('families of 1 to 1,000 p-values are adjusted as by R to 1e-12, with ties, zeros and ones', () => {
  for (const [number, family] of families.families.entries()) {
    for (const [how, expected] of [
      ['hommel', family.hommel],
      ['holm', family.holm],
      ['benjamini-hochberg', family.benjaminiHochberg],
    ] as const) {
      const adjusted = adjustPValues(family.ps, how);
      assert.equal(adjusted.length, expected.length);
      for (const [i, p] of adjusted.entries()) {
        assert.ok(Math.abs(p - (expected[i] as number)) <= 1e-12, `${how}, family ${number}, place ${i}: ${p}, expected ${expected[i]}`);
      }
    }
  }
});

test('adjusted p-values keep the order of the ps, never fall below them and never exceed 1', () => {
  const random = randomSource(7);
  const ps = Array.from({ length: 500 }, () => Math.round(random() * 200) / 200);
  for (const adjustment of adjustments) {
    const adjusted = adjustPValues(ps, adjustment);
    for (const [i, p] of ps.entries()) {
      const own = adjusted[i] as number;
      assert.ok(own >= p && own <= 1);
      for (const [j, other] of ps.entries()) if (p <= other) assert.ok(own <= (adjusted[j] as number) + 1e-15);
    }
  }
});

test('one p stays as it is, and none are none', () => {
  for (const adjustment of adjustments) {
    assert.deepEqual(adjustPValues([0.03], adjustment), [0.03]);
    assert.deepEqual(adjustPValues([], adjustment), []);
  }
});

test('what is no p is refused with its place', () => {
  assert.throws(() => adjustPValues([0.5, Number.NaN]), {
    name: 'RangeError',
    message: /value 1 of 2 is NaN, expected a number in \[0, 1\]/,
  });
  assert.throws(() => adjustPValues([1.2]), /value 0 of 1 is 1\.2/);
});
